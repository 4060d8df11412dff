#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/images/manifest.py - compare what the command found in an image with a manifest of it

    manifest.py [--lenient] MANIFEST FOLDER LS-JSON STAT-JSON ERRORS
    manifest.py --paths MANIFEST            paths to ask `stat` for, NUL-terminated
    manifest.py --has-errors MANIFEST       status 0: some of it cannot be read

A manifest line is KIND MODE UID GID NLINK SIZE VALUE PATH, separated by tabs. KIND: f d l c b p s;
S a subvolume's root, E the stub of one in a snapshot, ? a path that cannot be looked at. VALUE: the
SHA-256 of a file, EIO for one that cannot be read, EIO:OFFSET+LENGTH,...:SHA-256 with zeros where
it cannot; a link's target, or an error's name when Linux does not read it; a device's major:minor.
"x PATH NAME HEX" is an extended attribute, "t PATH NS" a modification time. Bytes outside of
0x21..0x7e, and the backslash, are \\xNN.

FOLDER is what `get` made, LS-JSON what `ls -lR --json`, STAT-JSON what `stat --json` printed,
ERRORS the standard error of `get`. Lenient, for images that may be refused in parts: more or less
may be there than the manifest says, but what is there is right or an error names it.
"""
import hashlib
import json
import os
import re
import stat
import sys

KINDS = {stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l", stat.S_IFCHR: "c",
         stat.S_IFBLK: "b", stat.S_IFIFO: "p", stat.S_IFSOCK: "s"}


def unescape(text):
    return os.fsdecode(re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]),
                              text.encode()))


def escape(path):
    """As the command prints names to people."""
    out = ""
    for c in os.fsencode(path).decode("utf-8", "surrogateescape"):
        if c == "\\":
            out += "\\\\"
        elif c.isprintable() and not "\udc80" <= c <= "\udcff":
            out += c
        else:
            out += "".join("\\x%02x" % b for b in c.encode("utf-8", "surrogateescape"))
    return out


class Manifest:
    def __init__(self, path):
        self.entries, self.xattrs, self.times = {}, {}, {}
        for line in open(path):
            field = line.rstrip("\n").split("\t")
            if line.startswith("#") or field == [""]:
                continue
            if field[0] == "x":
                name = unescape(field[2])
                self.xattrs.setdefault(unescape(field[1]), {})[name] = field[3]
            elif field[0] == "t":
                self.times[unescape(field[1])] = int(field[2])
            else:
                self.entries[unescape(field[7])] = field

    def has_errors(self):
        return any(e[0] == "?" or e[0] == "f" and e[6].startswith("E")
                   for e in self.entries.values())

    def readable(self):
        return [p for p, e in self.entries.items() if e[0] not in "?E"]


def text(record, key):
    if key + "_hex" in record:
        return os.fsdecode(bytes.fromhex(record[key + "_hex"]))
    return record[key]


def load(path, key):
    """By path; nothing when the command failed before it could print."""
    if os.path.getsize(path) == 0:
        return {}
    with open(path) as f:
        return {text(r, "path").lstrip("/") or ".": r for r in json.load(f)[key]}


class Check:
    def __init__(self, manifest, folder, errors, lenient):
        self.manifest, self.folder, self.lenient = manifest, folder, lenient
        with open(errors, errors="replace") as f:
            self.errors = f.read()
        self.wrong = 0

    def report(self, path, what, got, want):
        if self.lenient and escape(path) in self.errors:
            return
        self.wrong += 1
        print("%s %s: %.200s, should be %.200s" % (ascii(path), what, ascii(got), ascii(want)))

    def missing(self, path, what, want):
        if not self.lenient or not self.errors:
            self.report(path, what, "nothing", want)

    def named(self, path):
        """A loss is worth nothing unless it is said."""
        if escape(path) not in self.errors:
            self.report(path, "errors", "not named", "named")

    def content(self, path, field):
        value, size = field[6], int(field[5])
        with open(os.path.join(self.folder, path), "rb") as f:
            digest = hashlib.file_digest(f, "sha256").hexdigest()
        if value.startswith("EIO"):
            self.named(path)
            want = value.split(":")[2] if ":" in value else hashlib.sha256(bytes(size)).hexdigest()
        elif value.startswith("E"):
            return
        else:
            want = value
        if digest != want:
            self.report(path, "content", digest, want)

    def attributes(self, path, field, got):
        mode = got["mode"]
        kind = KINDS.get(stat.S_IFMT(mode), "?")
        want_kind = "d" if field[0] == "S" else field[0]
        seen = [kind, "%o" % stat.S_IMODE(mode), got["uid"], got["gid"], got["nlink"], got["size"]]
        want = [want_kind, field[1]] + [int(x) for x in field[2:6]]
        if seen != want:
            self.report(path, "attributes", seen, want)
        target = unescape(field[6])
        if kind == "l" and not re.fullmatch("E[A-Z]+", target) and text(got, "target") != target:
            self.report(path, "target", text(got, "target"), target)
        if kind in "cb" and "%d:%d" % (got["major"], got["minor"]) != field[6]:
            self.report(path, "device", (got["major"], got["minor"]), field[6])
        xattrs = {text(x, "name"): os.fsencode(text(x, "value")).hex() for x in got["xattrs"]}
        if xattrs != self.manifest.xattrs.get(path, {}):
            self.report(path, "xattrs", xattrs, self.manifest.xattrs.get(path, {}))
        time = got["mtime"]["sec"] * 10**9 + got["mtime"]["nsec"]
        if time != self.manifest.times.get(path, time):
            self.report(path, "mtime", time, self.manifest.times[path])

    def run(self, ls, stats):
        for path, field in self.manifest.entries.items():
            if field[0] == "?":
                continue
            if path != "." and path not in ls:
                self.missing(path, "ls", "listed")
            if field[0] == "E":
                continue
            if path not in stats:
                self.missing(path, "stat", "attributes")
                continue
            self.attributes(path, field, stats[path])
            if field[0] == "f":
                try:
                    self.content(path, field)
                except OSError:
                    self.missing(path, "get", "a file")
        for path in ls.keys() - self.manifest.entries.keys():
            if not self.lenient:
                self.report(path, "ls", "listed", "not there")


def main():
    args = sys.argv[1:]
    if args[0] == "--paths":
        for path in Manifest(args[1]).readable():
            sys.stdout.buffer.write(b"/" + os.fsencode(path) + b"\0")
        return
    if args[0] == "--has-errors":
        sys.exit(0 if Manifest(args[1]).has_errors() else 1)
    lenient = args[0] == "--lenient"
    manifest, folder, ls, stats, errors = args[lenient:]
    check = Check(Manifest(manifest), folder, errors, lenient)
    if not check.manifest.entries:
        sys.exit("the manifest is empty")
    check.run(load(ls, "entries"), load(stats, "files"))
    sys.exit(1 if check.wrong else 0)


if __name__ == "__main__":
    main()
