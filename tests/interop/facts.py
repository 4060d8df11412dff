#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/interop/facts.py - compare what the command prints as JSON with what the kernel said

    facts.py stat LIST JSON          `stat --json` of every path of a tree.py list
    facts.py ls LIST JSON            `ls -lR --json /`
    facts.py map DIR JSON IMAGE...   `map --csums --json`: every place of every extent holds the
                                     bytes that the file in DIR has there; IMAGE... by devid
    facts.py same JSON JSON          equal but for the order of members
"""
import json
import os
import stat
import sys

FT = {"file": "file", "dir": "dir", "link": "symlink", "chr": "chrdev", "blk": "blkdev",
      "fifo": "fifo", "sock": "socket"}
IF = {"file": stat.S_IFREG, "dir": stat.S_IFDIR, "link": stat.S_IFLNK, "chr": stat.S_IFCHR,
      "blk": stat.S_IFBLK, "fifo": stat.S_IFIFO, "sock": stat.S_IFSOCK}
# FS_*_FL of the kernel, and how the command names the flag
FLAGS = {0x4: "compress", 0x8: "sync", 0x10: "immutable", 0x20: "append", 0x40: "nodump",
         0x80: "noatime", 0x400: "nocompress", 0x10000: "dirsync", 0x100000: "verity",
         0x800000: "nodatacow"}
errors = 0


def wrong(path, what, got, want):
    global errors
    errors += 1
    print("%s %s: %.200s, should be %.200s" % (ascii(path), what, ascii(got), ascii(want)))


def text(record, key):
    """A member that may hold any bytes."""
    if key + "_hex" in record:
        return os.fsdecode(bytes.fromhex(record[key + "_hex"]))
    return record[key]


def load(path):
    with open(path) as f:
        return json.load(f)


def by_path(path):
    with open(path) as f:
        entries = [json.loads(line) for line in f]
    return {e["path"]: e for e in entries}


def nanoseconds(time):
    if isinstance(time, str):
        sec, nsec = time.split(".")
        return int(sec) * 10**9 + int(nsec)
    return time["sec"] * 10**9 + time["nsec"]


def check_common(path, want, got):
    wanted = {
        "mode": IF[want["type"]] | int(want["mode"], 8), "uid": want["uid"], "gid": want["gid"],
        "nlink": want["nlink"], "size": want["size"], "inode": want["inode"],
    }
    for key, value in wanted.items():
        if got[key] != value:
            wrong(path, key, got[key], value)
    if nanoseconds(got["mtime"]) != want["mtime"]:
        wrong(path, "mtime", nanoseconds(got["mtime"]), want["mtime"])
    if "rdev" in want and "%d:%d" % (got["major"], got["minor"]) != want["rdev"]:
        wrong(path, "device", (got["major"], got["minor"]), want["rdev"])
    if "target" in want and text(got, "target") != want["target"]:
        wrong(path, "target", text(got, "target"), want["target"])


def check_stat(list_path, json_path):
    want = by_path(list_path)
    seen = set()
    for got in load(json_path)["files"]:
        path = text(got, "path").lstrip("/") or "."
        seen.add(path)
        w = want[path]
        if w.get("stub"):
            continue
        check_common(path, w, got)
        for key, name in (("atime", "atime"), ("ctime", "ctime"), ("btime", "otime")):
            if w[key] is not None and nanoseconds(got[name]) != w[key]:
                wrong(path, name, nanoseconds(got[name]), w[key])
        xattrs = {text(x, "name"): os.fsencode(text(x, "value")).hex() for x in got["xattrs"]}
        if xattrs != w["xattrs"]:
            wrong(path, "xattrs", xattrs, w["xattrs"])
        if w.get("flags") is not None:
            names = {n for bit, n in FLAGS.items() if w["flags"] & bit}
            if names != set(got["flag_names"]) & set(FLAGS.values()):
                wrong(path, "flags", got["flag_names"], sorted(names))
    for path in want.keys() - seen:
        wrong(path, "stat", "nothing", "something")


def check_ls(list_path, json_path):
    want = by_path(list_path)
    seen = {"."}
    for got in load(json_path)["entries"]:
        path = text(got, "path").lstrip("/")
        if path in seen:
            wrong(path, "ls", "listed twice", "once")
        seen.add(path)
        w = want.get(path)
        if w is None:
            wrong(path, "ls", "listed", "not there")
            continue
        if got["type"] != FT[w["type"]]:
            wrong(path, "type", got["type"], FT[w["type"]])
        if text(got, "name") != path.rsplit("/", 1)[-1]:
            wrong(path, "name", text(got, "name"), path)
        if not w.get("stub"):
            check_common(path, w, got)
    for path in want.keys() - seen:
        wrong(path, "ls", "nothing", "something")


def check_place(path, extent, place, content, image):
    """A place holds a part of the extent's bytes, as many as it says."""
    start = place["logical"] - extent["logical"] - extent["extent_offset"]
    at = extent["file_offset"] + start
    length = min(place["length"], len(content) - at)
    image.seek(place["physical"])
    if length > 0 and image.read(length) != content[at:at + length]:
        wrong(path, "bytes at %d of devid %d" % (place["physical"], place["devid"]),
              "others", "the file's at %d" % at)


def check_extents(path, record, content, images):
    end, places = 0, 0
    for extent in record["extents"]:
        if extent["file_offset"] != end:
            wrong(path, "extent", extent["file_offset"], end)
        end = extent["file_offset"] + extent["length"]
        if extent["type"] in ("hole", "prealloc"):
            part = content[extent["file_offset"]:end]
            if part != bytes(len(part)):
                wrong(path, "hole at %d" % extent["file_offset"], "data", "zeros")
            continue
        if extent.get("compression") != "none" or "places" not in extent:
            continue
        covered = {}
        for place in extent["places"]:
            if place["kind"] == "data":
                check_place(path, extent, place, content, images[place["devid"] - 1])
                covered[place["copy"]] = covered.get(place["copy"], 0) + place["length"]
                places += 1
        if set(covered.values()) != {extent["length"]}:
            wrong(path, "places of the extent at %d" % extent["file_offset"], covered,
                  extent["length"])
    if end < record["size"]:
        wrong(path, "end of extents", end, record["size"])
    return places


def check_map(root, json_path, *images):
    images = [open(i, "rb") for i in images]
    places = 0
    for record in load(json_path)["files"]:
        path = text(record, "path")
        with open(root + path, "rb") as f:
            content = f.read()
        if record["size"] != len(content):
            wrong(path, "size", record["size"], len(content))
        places += check_extents(path, record, content, images)
    if not places:
        wrong(root, "places", "none", "some")


def check_same(a, b):
    if load(a) != load(b):
        wrong(a, "content", "another", "that of " + b)


VERBS = {"stat": check_stat, "ls": check_ls, "map": check_map, "same": check_same}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
    sys.exit(1 if errors else 0)
