/* SPDX-License-Identifier: MIT */
/* tests/unit/scratch.h - a scratch file with known bytes, and I/Os that count their callbacks */
#ifndef BD_TESTS_SCRATCH_H
#define BD_TESTS_SCRATCH_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "dev/ring.h"

/* The byte at @offset of every pattern: no two blocks are alike. */
static inline uint8_t pattern_byte(uint64_t offset)
{
	return (uint8_t)((offset * 2654435761u) >> 13 ^ offset >> 12);
}

static inline int pattern_differs(const void *buf, size_t len, uint64_t offset)
{
	const uint8_t *p = buf;
	for (size_t i = 0; i < len; i++) {
		if (p[i] != pattern_byte(offset + i))
			return 1;
	}
	return 0;
}

static inline void pattern_fill(void *buf, size_t len, uint64_t offset)
{
	uint8_t *p = buf;
	for (size_t i = 0; i < len; i++)
		p[i] = pattern_byte(offset + i);
}

/* A file of @size pattern bytes; its path is valid until the next call. Aborts on failure. */
static inline const char *scratch_file(size_t size)
{
	static char path[256];
	const char *dir = getenv("TMPDIR");
	snprintf(path, sizeof(path), "%s/bdio-unit-XXXXXX", dir ? dir : "/tmp");
	int fd = mkstemp(path);
	uint8_t *bytes = malloc(size + 1);
	if (fd < 0 || !bytes)
		abort();
	pattern_fill(bytes, size, 0);
	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
	free(bytes);
	close(fd);
	return path;
}

static inline void *scratch_buf(size_t size)
{
	void *buf = aligned_alloc(4096, size);
	if (!buf)
		abort();
	memset(buf, 0xee, size);
	return buf;
}

/* An I/O and how often it was called back. */
struct counted_io {
	struct bd_io io;
	atomic_int calls;
	atomic_bool done;
};

static inline void counted_done(struct bd_io *io)
{
	struct counted_io *c = io->priv;
	atomic_fetch_add(&c->calls, 1);
	atomic_store(&c->done, true);
}

static inline void counted_prep(struct counted_io *c, struct bd_dev *dev, enum bd_io_op op,
				void *buf, uint32_t len, uint64_t offset)
{
	c->io = (struct bd_io){.dev = dev,
			       .op = op,
			       .offset = offset,
			       .len = len,
			       .buf_index = -1,
			       .buf = buf,
			       .res = 12345,
			       .done = counted_done,
			       .priv = c};
	atomic_store(&c->calls, 0);
	atomic_store(&c->done, false);
}

#endif
