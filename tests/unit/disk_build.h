/* SPDX-License-Identifier: MIT */
/* tests/unit/disk_build.h - sound superblocks and tree blocks for tests to damage */
#ifndef BD_TESTS_DISK_BUILD_H
#define BD_TESTS_DISK_BUILD_H

#include "disk/key.h"
#include "disk/super.h"

#define BUILD_NODESIZE 4096u

/* A crc32c filesystem of one device: 4 KiB sectors and nodes, generation 100, sealed as copy 0. */
void build_disk_super(struct bd_disk_super *disk);
void build_seal_super(struct bd_disk_super *disk);
/* The same in host order. */
void build_super(struct bd_super *super);

/* A SYSTEM chunk of one stripe, 4 MiB at logical 1 MiB. @data: room for chunk and stripe */
void build_chunk(void *data);

/* An empty block at logical 1 MiB of tree @owner. @block: BUILD_NODESIZE bytes */
void build_block(void *block, const struct bd_super *super, uint8_t level, uint64_t owner);
/* Append an item to a leaf; returns its data, zeroed. */
void *build_item(void *block, struct bd_key key, uint32_t size);
void build_pointer(void *block, struct bd_key key, uint64_t child, uint64_t generation);
void build_seal_block(void *block, const struct bd_super *super);

/* The site of the calling thread's last failure: "" when there was none. */
const char *failed_site(void);

#endif
