#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/interop/fill.py - put things into a folder that a reader of btrfs can get wrong

    fill.py DIR TOPIC[=ARGUMENT]...

Every topic makes a folder of its own name. The same arguments make the same bytes.
"""
import ctypes
import fcntl
import os
import random
import socket
import stat
import struct
import sys

FICLONE = 0x40049409
FICLONERANGE = 0x4020940D
FS_IOC_ENABLE_VERITY = 0x40806685
FS_IOC_GETFLAGS = 0x80086601
FS_IOC_SETFLAGS = 0x40086602
FS_NOCOW_FL = 0x00800000
SIZES = (0, 1, 100, 2047, 2048, 2049, 3900, 4095, 4096, 4097, 65535, 65536, 65537, 131072, 200001)


def noise(seed, size):
    return random.Random(str(seed)).randbytes(size)


def prose(seed, size):
    """Bytes that compress, though not to nothing."""
    rng = random.Random(str(seed))
    words = [rng.randbytes(rng.randint(2, 9)).hex() for _ in range(300)]
    out = bytearray()
    while len(out) < size:
        out += rng.choice(words).encode() + b" "
    return bytes(out[:size])


def put(path, data, offset=0):
    fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)
    while data:
        done = os.pwrite(fd, data, offset)
        data, offset = data[done:], offset + done
    os.close(fd)


def sync(path="."):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def clone(src, dst, src_offset=0, length=0, dst_offset=0):
    s = os.open(src, os.O_RDONLY)
    d = os.open(dst, os.O_CREAT | os.O_WRONLY, 0o644)
    fcntl.ioctl(d, FICLONERANGE, struct.pack("qQQQ", s, src_offset, length, dst_offset))
    os.close(s)
    os.close(d)


def falloc(path, offset, length, keep=False, punch=False, zero=False):
    flag = ["-n"] * keep + ["-p"] * punch + ["-z"] * zero
    if os.spawnvp(os.P_WAIT, "fallocate",
                  ["fallocate", *flag, "-o", str(offset), "-l", str(length), path]):
        sys.exit("fallocate failed")


def set_flags(path, flags):
    fd = os.open(path, os.O_RDONLY)
    old = struct.unpack("L", fcntl.ioctl(fd, FS_IOC_GETFLAGS, bytes(8)))[0]
    fcntl.ioctl(fd, FS_IOC_SETFLAGS, struct.pack("L", old | flags))
    os.close(fd)


# --- topics -----------------------------------------------------------------------------------

def basic(_):
    """A bit of everything that every filesystem can hold."""
    for n in SIZES:
        put("f%d" % n, noise(n, n))
    put("big", noise("big", 1300003))
    put("sparse", noise("s", 5000), 300000)
    put("tail", noise("t", 5000))
    os.truncate("tail", 400000)
    os.makedirs("a/b/c")
    for i in range(120):
        put("a/b/n%03d" % i, prose(i, i * 7))
    os.symlink("a/b", "short")
    os.symlink("x" * 1000, "long")
    os.link("f100", "a/linked")
    os.chmod("f1", 0o4751)
    os.mkdir("sticky", 0o700)
    os.chmod("sticky", 0o1777)
    put("sticky/" + "n" * 255, b"a long name\n")
    os.utime("f4096", ns=(1, 1234567890123456789))
    os.utime("a/b", ns=(1, 999999999))


def special(_):
    """Owners, special files and times: needs root."""
    put("owned", b"x")
    os.chown("owned", 12345, 4000000000)
    os.mkfifo("fifo", 0o640)
    s = socket.socket(socket.AF_UNIX)
    s.bind("socket")
    s.close()
    os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    os.mknod("disk", 0o660 | stat.S_IFBLK, os.makedev(259, 1048575))
    for mode in (0, 0o111, 0o2755, 0o7777):
        put("mode%o" % mode, b"m")
        os.chmod("mode%o" % mode, mode)
    os.symlink("nowhere", "link")
    os.chown("link", 7, 8, follow_symlinks=False)
    for name, ns in (("epoch", 0), ("before", -1), ("long-ago", -(10**18) - 7),
                     ("y2038", (2**31) * 10**9 + 999999999), ("y2500", 17 * 10**18)):
        put(name, b"t")
        os.utime(name, ns=(ns, ns))


def xattrs(_):
    put("file", b"x")
    os.mkdir("dir")
    os.symlink("file", "link")
    os.setxattr("file", "user.empty", b"")
    os.setxattr("file", "user.binary", bytes(range(256)))
    os.setxattr("file", "user." + "n" * 250, b"long name")
    os.setxattr("file", "user.large", noise("x", int(_ or 15000)))
    os.setxattr("file", "trusted.t", b"trust")
    os.setxattr("link", "trusted.onlink", b"l", follow_symlinks=False)
    # getcap file = cap_net_raw,cap_chown+ep
    os.setxattr("file", "security.capability", struct.pack("<5I", 0x02000001, 0x2001, 0, 0, 0))
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in (
        (1, 6, 0xffffffff), (2, 4, 1000), (4, 4, 0xffffffff), (16, 4, 0xffffffff),
        (32, 0, 0xffffffff)))
    os.setxattr("file", "system.posix_acl_access", acl)
    os.setxattr("dir", "system.posix_acl_default", acl)
    os.setxattr("dir", "btrfs.compression", b"zstd")
    put("dir/inherits", prose("c", 50000))
    for i in range(60):
        os.setxattr("dir", "user.many%d" % i, b"%d" % i * 10)


def extents(_):
    """Each way in which a file's bytes can lie on disk, without compression."""
    put("inline", noise("i", 700))
    put("regular", noise("r", 700000))
    falloc("prealloc", 0, 262144)
    falloc("prealloc-part", 0, 262144)
    sync()
    put("prealloc-part", noise("p", 8192), 28672)
    put("prealloc-part", noise("q", 100), 200000)
    put("beyond", noise("b", 3000))
    falloc("beyond", 0, 1 << 20, keep=True)
    put("bookend", noise("k", 1 << 20))
    sync()
    put("bookend", noise("l", 4096), 500 * 1024)
    put("bookend", noise("m", 10000), 700001)
    sync()
    clone("bookend", "reflink")
    clone("bookend", "shifted", 131072, 262144, 4096)
    clone("regular", "mosaic", 65536, 65536, 131072)
    clone("regular", "mosaic", 0, 65536, 0)
    put("punched", noise("h", 300000))
    sync()
    falloc("punched", 65536, 65536, punch=True)
    falloc("punched", 200001, 50003, punch=True)
    put("zeroed", noise("z", 300000))
    sync()
    falloc("zeroed", 4096, 100000, zero=True)
    put("inline-hole", noise("j", 700))
    sync()
    os.truncate("inline-hole", 200000)
    put("shrunk", noise("n", 100000))
    sync()
    os.truncate("shrunk", 5000)
    sync()
    os.truncate("shrunk", 100000)
    os.mknod("all-hole", 0o644)
    os.truncate("all-hole", 1 << 20)
    put("nocow", b"")
    set_flags("nocow", FS_NOCOW_FL)
    put("nocow", noise("w", 300000))
    for i in range(40):
        put("fragments", noise(i, 4096), (i * 7 % 40) * 8192)
        sync("fragments")


def compressed(algorithm):
    """Compressed extents of odd sizes: the folder says how, or the mount does."""
    if algorithm:
        os.setxattr(".", "btrfs.compression", algorithm.encode())
    for n in (1, 100, 300, 1000, 2047, 2048, 2049, 3906, 4095, 4096, 4097, 8191, 12289, 65537,
              131071, 131072, 131073, 262145, 400001):
        put("t%d" % n, prose(n, n))
    put("mixed", prose("a", 70000) + noise("b", 70001) + prose("c", 140000))
    put("incompressible", noise("n", 150001))
    put("zeros", bytes(1000003))
    put("partly", prose("p", 400000))
    sync()
    put("partly", prose("q", 5000), 150001)
    put("partly", noise("r", 4096), 131072)
    sync()
    clone("partly", "cloned", 8192, 122880, 4096)
    falloc("partly", 300000, 50000, punch=True)


def verity(_):
    """Files sealed by fs-verity, with and without a salt; fails where the kernel has none."""
    for name, size, salt in (("one", 1, b""), ("tree", 700001, b"salt" * 8), ("empty", 0, b"")):
        put(name, noise(name, size))
        sync(name)
        fd = os.open(name, os.O_RDONLY)
        keep = bytearray(salt or b" ")
        address = ctypes.addressof(ctypes.c_char.from_buffer(keep)) if salt else 0
        fcntl.ioctl(fd, FS_IOC_ENABLE_VERITY,
                    struct.pack("<IIIIQII12Q", 1, 1, 4096, len(salt), address, 0, 0, *[0] * 12))
        os.close(fd)


def huge(_):
    """Offsets that do not fit 32 bits, and far beyond."""
    for at in (0, (1 << 31) - 5000, (1 << 32) - 5000, (5 << 30) + 1, (1 << 42) + 12345):
        put("file", noise(at, 10001), at)


def names(_):
    every = [bytes([b]) for b in range(1, 256) if b not in b"/."]
    for b in every:
        put(b"n" + b, b)
    rng = random.Random("names")
    allowed = bytes(b for b in range(1, 256) if b != 0x2f)
    for n in (2, 100, 254, 255):
        name = bytes(rng.choice(allowed) for _ in range(n))
        put(name, name)
        os.mkdir(name[:-1] + b"d")
    for name in ("...", " ", "-", "--help", "\n", "grüße", "日本語", "a\\x41", "%s%n"):
        put(name, name.encode())


def deepest(_):
    """/deepest/... is 4094 bytes long; made from within because few calls take that much."""
    depth = 0
    top = os.open(".", os.O_RDONLY)
    while depth + 256 < 4080:
        os.mkdir("d" * 255)
        os.chdir("d" * 255)
        depth += 256
    put("f" * (4085 - depth), b"the bottom\n")
    os.fchdir(top)
    os.mkdir("many")
    os.chdir("many")
    for _ in range(400):
        os.mkdir("l")
        os.chdir("l")
    put("end", b"400 levels\n")
    os.fchdir(top)
    os.close(top)


def directory(count):
    for i in range(int(count)):
        os.mknod("entry-%d" % i, 0o600)


def links(count):
    """More names for one inode than one INODE_REF item can hold."""
    put("file", b"many names\n")
    os.mkdir("elsewhere")
    for i in range(int(count)):
        os.link("file", "%s-%d" % ("l" * 200, i))
    os.link("file", "elsewhere/one")


# CRC-32C, as the format hashes names with it.
TABLE = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
    TABLE.append(i)
BY_TOP = {t >> 24: i for i, t in enumerate(TABLE)}


def crc(state, data):
    for b in data:
        state = TABLE[(state ^ b) & 255] ^ state >> 8
    return state


def name_hash(name):
    return crc(0xfffffffe, name)


def with_hash(prefix, wanted):
    """The prefix and four more bytes so that the name has this hash."""
    state = wanted
    for _ in range(4):
        i = BY_TOP[state >> 24]
        state = (state ^ TABLE[i]) << 8 & 0xffffffff | i
    return prefix + struct.pack("<I", state ^ crc(0xfffffffe, prefix))


def collisions(_):
    wanted = name_hash(b"first")
    put("first", b"the one that was there\n")
    made = i = 0
    while made < 40:
        name = with_hash(b"c%d-" % i, wanted)
        i += 1
        if b"/" in name or b"\0" in name:
            continue
        assert name_hash(name) == wanted
        if made % 10 == 9:
            os.mkdir(name)
        elif made % 10 == 8:
            os.symlink(b"to-%d" % made, name)
        else:
            put(name, prose(made, 50 + made * 300))
        made += 1
    wanted = name_hash(b"user.base")
    os.setxattr("first", "user.base", b"base")
    made = i = 0
    while made < 6:
        name = with_hash(b"user.c%d-" % i, wanted)
        i += 1
        if b"\0" not in name:
            os.setxattr(b"first", name, b"%d" % made)
            made += 1


TOPICS = {f.__name__: f for f in (basic, special, xattrs, extents, compressed, verity, huge, names,
                                  deepest, directory, links, collisions)}


def main():
    os.umask(0o022)
    root = sys.argv[1]
    for word in sys.argv[2:]:
        topic, _, argument = word.partition("=")
        os.chdir(root)
        back = os.open(".", os.O_RDONLY)
        os.mkdir(word)
        os.chdir(word)
        TOPICS[topic](argument)
        os.fchdir(back)
        root = "."
        os.close(back)


if __name__ == "__main__":
    main()
