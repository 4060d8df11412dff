#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/structure/style.py - first lines, formatting, names of failures, what git may hold"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from layers import SOURCE, run_checks, sources  # noqa: E402

C_FOLDERS = ("libbtrfsdio", "include", "tools", "examples", "tests", "bench", "fuzz")
LONG_FUNCTION = 100  # lines; a warning only
LARGE_FILE = 512 * 1024


def text_of(path):
    return (SOURCE / path).read_text(encoding="utf-8", errors="replace")


def git(*arguments):
    command = ["git", "-c", "safe.directory=*", "-C", SOURCE, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def in_git():
    return shutil.which("git") and (SOURCE / ".git").exists()


def scripts():
    """CMake files and everything that starts with #!"""
    for path in sorted(SOURCE.rglob("*")):
        relative = path.relative_to(SOURCE)
        if relative.parts[0] in ("build", ".git") or not path.is_file():
            continue
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            yield relative
        elif path.suffix not in (".c", ".h"):
            with open(path, "rb") as file:
                if file.read(2) == b"#!":
                    yield relative


def check_first_lines(_):
    """SPDX, then the file's own path and what it is."""
    for path in [*sources(*C_FOLDERS), *scripts()]:
        head = text_of(path).splitlines()[:4]
        if not any("SPDX-License-Identifier: MIT" in line for line in head[:2]):
            yield f"{path}: no SPDX line"
        stated = [re.search(r"([\w./-]+)(?: .*?)? - \S", line) for line in head]
        names = [match.group(1) for match in stated if match]
        if not any(str(path).endswith(name) and name.endswith(path.name) for name in names):
            yield f"{path}: the first lines do not name the file and say what it is"


def check_format(_):
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    files = [str(path) for path in sources(*C_FOLDERS)]
    result = subprocess.run(
        [tool, "--dry-run", "-Werror", *files], cwd=SOURCE, capture_output=True, text=True
    )
    if result.returncode:
        bad = re.findall(r"^(\S+?:\d+):\d+: error", result.stderr, re.M)
        yield from bad or [result.stderr.strip()]


def check_unfinished(_):
    pattern = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    for path in sources(*C_FOLDERS):
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if pattern.search(line):
                yield f"{path}:{number}: {line.strip()}"


def check_sites(_):
    """A failure's site names one line of the source."""
    seen = {}
    for path in sources("libbtrfsdio"):
        for match in re.finditer(r"\bBD_FAIL\(\s*[^,]+,\s*(\w+)\s*,", text_of(path)):
            site, line = match.group(1), text_of(path)[: match.start()].count("\n") + 1
            if path.name == "err.h":
                continue
            if site in seen:
                yield f"{path}:{line}: site {site} stands at {seen[site]} too"
            seen[site] = f"{path}:{line}"


def check_lengths(_):
    """Never fails: names the functions that no longer fit."""
    for path in sources(*C_FOLDERS):
        start = None
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if line == "{":
                start = number
            elif line == "}" and start:
                if number - start > LONG_FUNCTION:
                    print(f"# warning: {path}:{start}: a function of {number - start} lines")
                start = None
    return ()


def check_shell(_):
    for path in scripts():
        if "bash" in text_of(path).split("\n", 1)[0]:
            result = subprocess.run(["bash", "-n", SOURCE / path], capture_output=True, text=True)
            if result.returncode:
                yield result.stderr.strip()


def check_executable(_):
    for path in scripts():
        if path.parts[0] in ("scripts", ".ci") and not os.access(SOURCE / path, os.X_OK):
            yield f"{path}: not executable"


def check_git_content(_):
    """No binaries, nothing large, nothing generated among what git holds."""
    if not in_git():
        return
    for name in git("ls-files", "-z").split("\0"):
        path = SOURCE / name
        if not name or not path.is_file() or name.startswith("fuzz/corpus/"):
            continue
        data = path.read_bytes()
        if b"\0" in data:
            yield f"{name}: a binary file"
        if len(data) > LARGE_FILE:
            yield f"{name}: {len(data)} bytes"


def check_untracked(_):
    """In a fresh clone, building and testing leave no file behind that git does not ignore."""
    if not in_git() or os.environ.get("CI") != "true":
        return
    for line in git("status", "--porcelain").splitlines():
        if line.startswith("??"):
            yield line[3:]


if __name__ == "__main__":
    sys.exit(run_checks("style", None, (
        check_first_lines, check_format, check_unfinished, check_sites, check_lengths,
        check_shell, check_executable, check_git_content, check_untracked,
    )))
