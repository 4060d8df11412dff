/* SPDX-License-Identifier: MIT */
/* fuzz/bases.h - base images that fuzz targets change in memory, block by block */
#ifndef BD_FUZZ_BASES_H
#define BD_FUZZ_BASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "btrfsdio/fs.h"

#define BASE_MAX_DEVICES 4
#define BASE_MAX_COPIES	 4

/* A tree block that can be reached from the superblock. */
struct base_block {
	uint64_t logical;
	unsigned int copies; /* parity rows have one */
	struct {
		unsigned int device;
		uint64_t physical;
	} copy[BASE_MAX_COPIES];
};

struct base_device {
	const uint8_t *bytes; /* the file, mapped; never written */
	uint64_t size;
};

struct base {
	const char *name;
	struct base_device device[BASE_MAX_DEVICES];
	unsigned int num_devices;
	uint32_t nodesize, csum_type;
	struct base_block *blocks;
	size_t num_blocks;
};

/*
 * Load all bases; they are made first, by fuzz/make-bases, when they are not there. They lie in
 * $BDIO_FUZZ_BASES, else in bases/ beside @program. Ends the program when that is impossible.
 */
void bases_load(const char *program);
unsigned int bases_count(void);
const struct base *base_get(unsigned int nr);

/*
 * What is changed of the base in use: pages of 4 KiB over its devices. overlay_begin() forgets
 * all changes and uses @base from now on.
 */
void overlay_begin(const struct base *base);
/* Both stay inside of the device. */
void overlay_read(unsigned int device, uint64_t offset, void *buf, size_t len);
void overlay_write(unsigned int device, uint64_t offset, const void *buf, size_t len);
/* Calls of close() since overlay_begin(). */
unsigned int overlay_closes(void);

/* Open what the overlay shows. @missing: bit i: device i is not given */
int overlay_open(uint64_t flags, unsigned int missing, struct bdio_fs **out);

#endif
