#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/interop/raw.py - look at and spoil images below the filesystem

    raw.py find IMAGE... < SECTOR          "IMAGE OFFSET" of every place that holds these 4 KiB
    raw.py flip IMAGE OFFSET [LENGTH]      invert bytes
    raw.py garble IMAGE                    invert all that is there but the superblocks
    raw.py stripes COPY < CHUNK-TREE-DUMP  "DEVID OFFSET LENGTH PROFILE TYPE" of that stripe
    raw.py survivors < CHUNK-TREE-DUMP     for each set of missing devids: "yes|no DEVIDS"
    raw.py super IMAGE COPY                "GENERATION good|bad" or "none"
    raw.py super-set IMAGE COPY FIELD=VALUE...   with a right checksum again (crc32c only);
                                           a value +N or |N changes what is there
    raw.py super-get IMAGE COPY FIELD
    raw.py super-copy FROM COPY TO COPY    as it is
    raw.py nodes IMAGE                     "OFFSET BYTENR GENERATION OWNER LEVEL" of tree blocks
    raw.py edit-block IMAGE OFFSET AT=BYTE...    change bytes of a tree block, checksum made right

Where chunks lie is taken from `btrfs inspect-internal dump-tree -t chunk`.
"""
import itertools
import os
import re
import struct
import sys

SUPERS = (0x10000, 0x4000000, 0x4000000000)
SUPER_SIZE = 4096
BLOCK = 4096
FIELDS = {  # offset and struct code
    "fsid": (32, "16s"), "bytenr": (48, "Q"), "flags": (56, "Q"), "magic": (64, "Q"),
    "generation": (72, "Q"), "root": (80, "Q"), "chunk_root": (88, "Q"), "log_root": (96, "Q"),
    "total_bytes": (112, "Q"), "num_devices": (136, "Q"), "sectorsize": (144, "I"),
    "nodesize": (148, "I"), "sys_array_size": (160, "I"), "compat": (172, "Q"),
    "compat_ro": (180, "Q"), "incompat": (188, "Q"), "csum_type": (196, "H"),
    "root_level": (198, "B"), "chunk_root_level": (199, "B"),
}

TABLE = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
    TABLE.append(i)


def crc32c(data):
    state = 0xffffffff
    for b in data:
        state = TABLE[(state ^ b) & 255] ^ state >> 8
    return state ^ 0xffffffff


def pieces(fd, step=1 << 20):
    """(offset, bytes) of all that is no hole, in aligned blocks."""
    size, pos = os.fstat(fd).st_size, 0
    while pos < size:
        try:
            pos = os.lseek(fd, pos, os.SEEK_DATA)
        except OSError:
            return
        pos -= pos % BLOCK
        end = -(-os.lseek(fd, pos, os.SEEK_HOLE) // BLOCK) * BLOCK
        while pos < end:
            data = os.pread(fd, min(step, end - pos), pos)
            if not data:
                return
            yield pos, data
            pos += len(data)


def opened(image):
    return os.open(image, os.O_RDWR)


def find(*images):
    needle = sys.stdin.buffer.read()
    assert len(needle) == BLOCK and needle != bytes(BLOCK)
    for image in images:
        for pos, data in pieces(os.open(image, os.O_RDONLY)):
            at = data.find(needle)
            while at >= 0:
                if at % BLOCK == 0:
                    print(image, pos + at)
                at = data.find(needle, at + 1)


def invert(fd, offset, length):
    data = os.pread(fd, length, offset)
    os.pwrite(fd, data.translate(INVERSE), offset)


INVERSE = bytes(255 - b for b in range(256))


def flip(image, offset, length="1"):
    invert(opened(image), int(offset), int(length))


def garble(image):
    fd = opened(image)
    for pos, data in list((p, len(d)) for p, d in pieces(fd, BLOCK)):
        if pos >= 1 << 20 and pos not in SUPERS:
            invert(fd, pos, data)


def chunks():
    found = []
    for line in sys.stdin:
        m = re.search(r"CHUNK_ITEM (\d+)\) itemoff", line)
        if m:
            found.append({"stripes": []})
        if not found:
            continue
        m = re.search(r"^\s*length (\d+) owner \d+ stripe_len (\d+) type (\S+)", line)
        if m:
            found[-1].update(length=int(m[1]), type=m[3])
        m = re.search(r"stripe (\d+) devid (\d+) offset (\d+)", line)
        if m:
            found[-1]["stripes"].append((int(m[2]), int(m[3])))
    assert found
    return found


def profile(chunk):
    name = chunk["type"].split("|")[-1].lower()
    return "single" if name in ("data", "metadata", "system", "single") else name


def data_stripes(chunk):
    n, p = len(chunk["stripes"]), profile(chunk)
    return {"raid0": n, "raid10": n // 2, "raid5": n - 1, "raid6": n - 2}.get(p, 1)


def stripes(copy):
    for c in chunks():
        if int(copy) < len(c["stripes"]):
            devid, offset = c["stripes"][int(copy)]
            print(devid, offset, c["length"] // data_stripes(c), profile(c), c["type"])


def survives(chunk, missing):
    gone = [devid in missing for devid, _ in chunk["stripes"]]
    p = profile(chunk)
    if p in ("single", "raid0"):
        return not any(gone)
    if p in ("raid5", "raid6"):
        return sum(gone) <= int(p[-1]) - 4
    if p == "raid10":
        return all(not (a and b) for a, b in zip(gone[::2], gone[1::2]))
    return not all(gone)


def survivors():
    found = chunks()
    devids = sorted({devid for c in found for devid, _ in c["stripes"]})
    for n in range(1, len(devids)):
        for missing in itertools.combinations(devids, n):
            good = all(survives(c, missing) for c in found)
            print("yes" if good else "no", *missing)


def read_super(image, copy):
    with open(image, "rb") as f:
        f.seek(SUPERS[int(copy)])
        return bytearray(f.read(SUPER_SIZE))


def write_super(image, copy, block):
    with open(image, "r+b") as f:
        f.seek(SUPERS[int(copy)])
        f.write(block)


def super_(image, copy):
    block = read_super(image, copy)
    if len(block) < SUPER_SIZE or block[64:72] != b"_BHRfS_M":
        print("none")
        return
    good = struct.unpack_from("<I", block)[0] == crc32c(block[32:])
    print(struct.unpack_from("<Q", block, 72)[0], "good" if good else "bad")


def super_set(image, copy, *changes):
    block = read_super(image, copy)
    for change in changes:
        field, value = change.split("=", 1)
        offset, code = FIELDS[field]
        if code.endswith("s"):
            value = bytes.fromhex(value)
        elif value[0] in "+|":
            old = struct.unpack_from("<" + code, block, offset)[0]
            number = int(value[1:], 0)
            value = old + number if value[0] == "+" else old | number
        else:
            value = int(value, 0)
        struct.pack_into("<" + code, block, offset, value)
    struct.pack_into("<I", block, 0, crc32c(block[32:]))
    write_super(image, copy, block)


def super_get(image, copy, field):
    offset, code = FIELDS[field]
    value = struct.unpack_from("<" + code, read_super(image, copy), offset)[0]
    print(value.hex() if isinstance(value, bytes) else value)


def super_copy(source, source_copy, target, target_copy):
    write_super(target, target_copy, read_super(source, source_copy))


def nodes(image):
    head = read_super(image, 0)
    fsid, nodesize = head[32:48], struct.unpack_from("<I", head, 148)[0]
    fd = opened(image)
    for pos, data in pieces(fd, BLOCK):
        if data[32:48] != fsid or pos in SUPERS:
            continue
        block = os.pread(fd, nodesize, pos)
        if len(block) < nodesize or struct.unpack_from("<I", block)[0] != crc32c(block[32:]):
            continue
        bytenr, = struct.unpack_from("<Q", block, 48)
        generation, owner, _, level = struct.unpack_from("<QQIB", block, 80)
        print(pos, bytenr, generation, owner, level)


def edit_block(image, offset, *changes):
    nodesize = struct.unpack_from("<I", read_super(image, 0), 148)[0]
    fd = opened(image)
    block = bytearray(os.pread(fd, nodesize, int(offset)))
    for change in changes:
        at, value = change.split("=")
        block[int(at, 0)] = int(value, 0) & 255
    struct.pack_into("<I", block, 0, crc32c(block[32:]))
    os.pwrite(fd, block, int(offset))


VERBS = {
    "find": find, "flip": flip, "garble": garble, "stripes": stripes, "survivors": survivors,
    "super": super_, "super-set": super_set, "super-get": super_get, "super-copy": super_copy,
    "nodes": nodes, "edit-block": edit_block,
}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
