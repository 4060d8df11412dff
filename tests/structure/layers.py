#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/structure/layers.py - compare the include rules of layers.txt with the source

Result lines as every test script: `ok NAME` or `not ok NAME`, findings before it as comments.
"""
import os
import re
import sys
from pathlib import Path

SOURCE = Path(os.environ.get("BDIO_SOURCE", Path(__file__).resolve().parents[2]))
RULES = Path(__file__).with_name("layers.txt")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


class Rules:
    def __init__(self, text):
        self.layers = {}
        self.folders = {}
        self.words = {}
        for line in text.splitlines():
            match = re.match(r"(layer|folder|only) ([^:\s]+):(.*)$", line)
            if match:
                table = {"layer": self.layers, "folder": self.folders, "only": self.words}
                table[match.group(1)].setdefault(match.group(2), []).extend(match.group(3).split())
            elif line.strip() and not line.startswith("#"):
                sys.exit(f"layers.txt: cannot read the line: {line}")


def sources(*folders):
    for folder in folders:
        for path in sorted((SOURCE / folder).rglob("*.[ch]")):
            yield path.relative_to(SOURCE)


def includes(path):
    for number, line in enumerate((SOURCE / path).read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def bad_library_include(rules, layer, quoted, name):
    """Why the layer may not include the header, or None."""
    if name.startswith("btrfsdio/"):
        return None if quoted else "public headers are included with quotes"
    if not quoted:
        return None
    owner = name.split("/")[0]
    if owner not in rules.layers:
        return f'"{name}" is neither LAYER/HEADER nor public'
    if owner != layer and owner not in rules.layers[layer]:
        return f"{layer}/ may not include {owner}/"
    return None


def check_layers(rules):
    for path in sources("libbtrfsdio"):
        layer = path.parts[1]
        if layer not in rules.layers:
            yield f"{path}: {layer} is no layer of layers.txt"
            continue
        for number, quoted, name in includes(path):
            why = bad_library_include(rules, layer, quoted, name)
            if why:
                yield f"{path}:{number}: {why}"


def check_folders(rules):
    """Outside of the library: public headers and the folder's own."""
    for folder in rules.folders:
        for path in sources(folder):
            for number, quoted, name in includes(path):
                own = (SOURCE / path.parent / name).exists()
                if name.startswith("btrfsdio/") or own or not quoted:
                    continue
                yield f"{path}:{number}: {folder}/ may not include {name}"


def check_words(rules):
    for word, allowed in rules.words.items():
        pattern = re.compile(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])")
        for path in sources("libbtrfsdio", "include"):
            if any(path.is_relative_to(place) for place in allowed):
                continue
            for number, line in enumerate((SOURCE / path).read_text().splitlines(), 1):
                if pattern.search(line):
                    yield f"{path}:{number}: {word} may not stand here"


def check_acyclic(rules):
    """The rules themselves: a layer may include another only if that one may not include it."""
    for layer, lower in rules.layers.items():
        for other in lower:
            if other not in rules.layers:
                yield f"layers.txt: {layer} names {other}, which is no layer"
            elif layer in rules.layers[other]:
                yield f"layers.txt: {layer} and {other} include each other"


def check_unique_names(_rules):
    seen = {}
    for path in sources("libbtrfsdio"):
        if path.name in seen:
            yield f"{path}: same name as {seen[path.name]}"
        seen[path.name] = path


def run_checks(group, rules, checks):
    """Run the checks that the command line names, else all; return the exit status."""
    failed = False
    for check in checks:
        name = check.__name__.removeprefix("check_")
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        findings = list(check(rules))
        for finding in findings:
            print(f"# {finding}")
        print(f"{'not ok' if findings else 'ok'} {group}.{name}")
        failed = failed or bool(findings)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_checks("layers", Rules(RULES.read_text()), (
        check_layers, check_folders, check_words, check_acyclic, check_unique_names,
    )))
