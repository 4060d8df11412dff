#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/structure/symbols.py - what the built libraries define, use and export"""
import collections
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from layers import RULES, SOURCE, Rules, run_checks, sources  # noqa: E402

BUILD = Path(os.environ.get("BDIO_BUILD", SOURCE / "build/dev"))
STATIC = BUILD / "libbtrfsdio.a"
SHARED = BUILD / "libbtrfsdio.so"
MAP = SOURCE / "libbtrfsdio/libbtrfsdio.map"

# The library is silent and never ends or interrupts its process. An assert of its own
# invariants is the one way out, and goes through __assert_fail.
FORBIDDEN = re.compile(
    r"^(_?_?v?f?d?printf(_chk)?|put(s|char|c)|fput[cs]|perror|psignal|stdout|stderr|stdin|"
    r"_?exit|_Exit|quick_exit|abort|raise|kill|signal|sigaction|sigprocmask|pthread_kill|"
    r"errx?|warnx?|error|syslog|setlocale|chdir|umask|getopt(_long)?|strtok|rand|random|"
    r"strcpy|strcat|v?sprintf|gets|atoi|atol)$"
)

Symbol = collections.namedtuple("Symbol", "name kind type section")


def read_objects(library):
    """{object file: [Symbol]} of an archive."""
    text = subprocess.run(
        ["nm", "--format=sysv", library], check=True, capture_output=True, text=True
    ).stdout
    objects = {}
    current = None
    for line in text.splitlines():
        match = re.match(r"(?:Undefined symbols|Symbols) from .*\[(.*)\]:", line)
        if match:
            current = objects.setdefault(match.group(1), [])
        elif line.count("|") == 6:
            name, _, kind, type_, _, _, section = (part.strip() for part in line.split("|"))
            if name != "Name":
                current.append(Symbol(name, kind, type_, section))
    return objects


OBJECTS = read_objects(STATIC)
DEFINED = {
    symbol.name: owner
    for owner, symbols in OBJECTS.items()
    for symbol in symbols
    if symbol.kind in "TDBRVWC"
}
USED = {
    owner: {symbol.name for symbol in symbols if symbol.kind in "Uw"}
    for owner, symbols in OBJECTS.items()
}


def declared_in_headers():
    for path in sources("include"):
        text = re.sub(r"/\*.*?\*/", "", (SOURCE / path).read_text(), flags=re.S)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        yield from re.findall(r"\bBDIO_API\b[^;{]*?\b(\w+)\s*\(", text)


def check_exported(_rules):
    """Headers, version script and shared library name the same functions."""
    exported = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=posix", SHARED],
        check=True, capture_output=True, text=True,
    ).stdout
    # name@@VERSION TYPE ...; the version nodes themselves are of type A
    fields = [line.split() for line in exported.splitlines()]
    found = {
        "the shared library": {f[0].split("@")[0] for f in fields if f[1] != "A"},
        "libbtrfsdio.map": set(re.findall(r"^\t(\w+);", MAP.read_text(), flags=re.M)),
        "the headers": set(declared_in_headers()),
    }
    everything = set().union(*found.values())
    for name in sorted(everything):
        absent = [where for where, names in found.items() if name not in names]
        if absent:
            yield f"{name} is not in {' nor in '.join(absent)}"
        if not name.startswith("bdio_"):
            yield f"{name} does not begin with bdio_"


def check_prefixes(_rules):
    for name, owner in sorted(DEFINED.items()):
        if not name.startswith(("bd_", "bdio_")):
            yield f"{owner}: {name} begins with neither bd_ nor bdio_"


def check_silent(_rules):
    for owner, names in OBJECTS.items():
        for symbol in names:
            if symbol.kind == "U" and FORBIDDEN.match(symbol.name):
                yield f"{owner}: uses {symbol.name}"


def check_no_globals(_rules):
    """No mutable state outside of handles, save thread-local records and once-flags."""
    for owner, symbols in OBJECTS.items():
        for symbol in symbols:
            mutable = re.match(r"\.(data|bss)(?!\.rel\.ro)", symbol.section)
            if symbol.type == "OBJECT" and mutable and not symbol.name.endswith("_once"):
                yield f"{owner}: {symbol.name} is mutable and global"


def check_layers(rules):
    """What an object calls is as much a dependency as what its source includes."""
    layer_of = {f"{path.name}.o": path.parts[1] for path in sources("libbtrfsdio")}
    for owner, names in USED.items():
        layer = layer_of[owner]
        for name in sorted(names):
            other = layer_of.get(DEFINED.get(name))
            if other and other != layer and other not in rules.layers[layer]:
                yield f"{layer}/{owner}: uses {name} of {other}/"


def check_no_orphans(_rules):
    """An external function that no other file uses is dead, or should be static."""
    used = set().union(*USED.values())
    tests = "\n".join(
        (SOURCE / path).read_text() for path in sources("tests", "fuzz", "bench")
    )
    for name, owner in sorted(DEFINED.items()):
        if name.startswith("bd_") and name not in used and not re.search(rf"\b{name}\b", tests):
            yield f"{owner}: {name} is used by no other file"


if __name__ == "__main__":
    sys.exit(run_checks("symbols", Rules(RULES.read_text()), (
        check_exported, check_prefixes, check_silent, check_no_globals, check_layers,
        check_no_orphans,
    )))
