#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/interop/tree.py - write down a folder with everything that can be seen of it, and compare

    tree.py scan [--seconds] DIR       a JSON line per entry, by path; whole seconds only
    tree.py diff [--ignore FIELD,...] LIST DIR
    tree.py paths LIST                 the paths, NUL-terminated

What is written: type, mode, owners, link count, size, mtime, device number, link target, extended
attributes, the content's checksum, which 4 KiB blocks hold data (SEEK_DATA), and which other path
is the same inode; also what a copy cannot keep (inode number, other times, inode flags), which
facts.py compares. A subvolume's root and a snapshot's empty stub count as directories; of a stub
only its being there and empty is compared. FIELD is one of these, or dirFIELD for folders alone,
rootFIELD for the topmost one.
"""
import argparse
import ctypes
import fcntl
import hashlib
import json
import os
import resource
import stat
import struct
import sys

BLOCK = 4096
STEP = 1 << 20
TYPES = {
    stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link", stat.S_IFCHR: "chr",
    stat.S_IFBLK: "blk", stat.S_IFIFO: "fifo", stat.S_IFSOCK: "sock",
}
# A list names its own holes: a file this large is not read where it says it has none.
SPARSE_LIMIT = 64 << 20


def data_map(fd, size):
    """Ranges with data, rounded to blocks and cut at the size."""
    ranges, pos = [], 0
    while pos < size:
        try:
            start = os.lseek(fd, pos, os.SEEK_DATA)
        except OSError:
            break
        end = os.lseek(fd, start, os.SEEK_HOLE)
        pos = end
        start -= start % BLOCK
        end = min(-(-end // BLOCK) * BLOCK, size)
        if ranges and ranges[-1][1] >= start:
            ranges[-1][1] = end
        else:
            ranges.append([start, end])
    return ranges


def content_sum(fd, size, ranges):
    """A checksum of the non-zero blocks and their places, so that holes cost nothing."""
    total = hashlib.sha256()
    zero = bytes(BLOCK)
    if size <= SPARSE_LIMIT:
        ranges = [[0, size]]
    for start, end in ranges:
        pos = start
        while pos < end:
            piece = os.pread(fd, min(STEP, end - pos), pos)
            if not piece:
                return "short at %d" % pos
            for i in range(0, len(piece), BLOCK):
                block = piece[i:i + BLOCK]
                if block != zero[:len(block)]:
                    total.update(b"%d:" % (pos + i))
                    total.update(block)
            pos += len(piece)
    return total.hexdigest()


def file_facts(dirfd, name, st):
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=dirfd)
    try:
        ranges = data_map(fd, st.st_size)
        try:
            total = content_sum(fd, st.st_size, ranges)
        except OSError as e:
            total = "error %s" % os.strerror(e.errno)
        return {"map": ranges, "sum": total}
    finally:
        os.close(fd)


def xattrs(dirfd, name):
    path = b"/proc/self/fd/%d/%s" % (dirfd, name)
    names = os.listxattr(path, follow_symlinks=False)
    return {n: os.getxattr(path, n, follow_symlinks=False).hex() for n in sorted(names)}


LIBC = ctypes.CDLL(None)
AT_SYMLINK_NOFOLLOW = 0x100
STATX_BTIME = 0x800
FS_IOC_GETFLAGS = 0x80086601
UNCOPIED = {"inode", "atime", "ctime", "btime", "flags"}


def birth_time(dirfd, name):
    buf = ctypes.create_string_buffer(256)
    if LIBC.statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, buf):
        return None
    sec, nsec = struct.unpack_from("<qI", buf, 0x50)
    return sec * 10**9 + nsec


def inode_flags(dirfd, name):
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=dirfd)
    try:
        return struct.unpack("L", fcntl.ioctl(fd, FS_IOC_GETFLAGS, bytes(8)))[0]
    except OSError:
        return None
    finally:
        os.close(fd)


class Scan:
    def __init__(self, root):
        self.entries = []
        self.seen = {}
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.entry(fd, b".", b".")
            self.walk(fd, b"")
        finally:
            os.close(fd)

    def entry(self, dirfd, name, path):
        st = os.stat(name, dir_fd=dirfd, follow_symlinks=False)
        kind = TYPES[stat.S_IFMT(st.st_mode)]
        e = {
            "path": os.fsdecode(path), "type": kind, "mode": "%o" % stat.S_IMODE(st.st_mode),
            "uid": st.st_uid, "gid": st.st_gid, "nlink": st.st_nlink, "size": st.st_size,
            "mtime": st.st_mtime_ns, "xattrs": xattrs(dirfd, name),
        }
        e.update(inode=st.st_ino, atime=st.st_atime_ns, ctime=st.st_ctime_ns,
                 btime=birth_time(dirfd, name))
        if kind in ("file", "dir"):
            e["flags"] = inode_flags(dirfd, name)
        if kind == "file":
            e.update(file_facts(dirfd, name, st))
        elif kind == "link":
            e["target"] = os.fsdecode(os.readlink(name, dir_fd=dirfd))
        elif kind in ("chr", "blk"):
            e["rdev"] = "%d:%d" % (os.major(st.st_rdev), os.minor(st.st_rdev))
        if kind == "dir":
            if st.st_ino == 2:
                e = {"path": e["path"], "type": "dir", "stub": True}
        elif st.st_nlink > 1:
            first = self.seen.setdefault((st.st_dev, st.st_ino), e["path"])
            e["same"] = first
        self.entries.append(e)
        return e

    def walk(self, dirfd, prefix):
        for name in sorted(os.fsencode(n) for n in os.listdir(dirfd)):
            path = prefix + name
            if self.entry(dirfd, name, path)["type"] != "dir":
                continue
            fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=dirfd)
            try:
                self.walk(fd, path + b"/")
            finally:
                os.close(fd)


def load(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def diff(want, got, ignore):
    """Prints the differences; returns their number."""
    want = {e["path"]: e for e in want}
    got = {e["path"]: e for e in got}
    bad = 0
    for path in sorted(want.keys() | got.keys()):
        w, g = want.get(path), got.get(path)
        lines = []
        if w is None or g is None:
            lines.append("only in the %s" % ("list" if g is None else "folder"))
        else:
            keys = {"type"} if w.get("stub") else w.keys() | g.keys()
            for k in sorted(keys - ignore - UNCOPIED):
                if w["type"] == "dir" and "dir" + k in ignore:
                    continue
                if path == "." and "root" + k in ignore:
                    continue
                if w.get(k) != g.get(k):
                    lines.append("%s: %s, should be %s" % (k, short(g.get(k)), short(w.get(k))))
        bad += len(lines)
        for line in lines:
            print(ascii(path)[1:-1], line)
    return bad


def short(value):
    text = json.dumps(value)
    return text if len(text) < 200 else text[:200] + "..."


def main():
    # One descriptor per level of a deep path.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    sys.setrecursionlimit(10000)
    args = argparse.ArgumentParser()
    args.add_argument("--ignore", default="")
    args.add_argument("--seconds", action="store_true")
    args.add_argument("verb", choices=("scan", "diff", "paths"))
    args.add_argument("first")
    args.add_argument("second", nargs="?")
    args = args.parse_args()
    if args.verb == "scan":
        for e in Scan(args.first).entries:
            if args.seconds:
                e["mtime"] -= e["mtime"] % 10**9
            print(json.dumps(e, sort_keys=True))
    elif args.verb == "paths":
        for e in load(args.first):
            sys.stdout.buffer.write(os.fsencode(e["path"]) + b"\0")
    else:
        want = load(args.first)
        if not want:
            sys.exit("the list is empty")
        ignore = set(filter(None, args.ignore.split(",")))
        if diff(want, Scan(args.second).entries, ignore):
            sys.exit(1)


if __name__ == "__main__":
    main()
