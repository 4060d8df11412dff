/* SPDX-License-Identifier: MIT */
/* tools/usage.h - chunks added up by type and profile */
#ifndef BTRFSDIO_TOOLS_USAGE_H
#define BTRFSDIO_TOOLS_USAGE_H

#include "btrfsdio/btrfsdio.h"

struct usage_line {
	uint64_t flags;	 /* BDIO_BG_* */
	uint64_t chunks; /* how many */
	uint64_t length; /* bytes that they can hold */
	uint64_t used;	 /* bytes in use, of those chunks whose use is known */
	uint64_t raw;	 /* bytes of all devices that they take */
};

/* Mixtures of types and profiles beyond any that exists share the last line. */
#define USAGE_MAX 32

struct usage {
	size_t count;
	struct usage_line lines[USAGE_MAX];
};

/* Return: 0; -errno of the first chunk that cannot be read. */
int usage_collect(struct bdio_fs *fs, struct usage *out);

#endif
