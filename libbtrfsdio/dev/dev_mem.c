/* SPDX-License-Identifier: MIT */
/* dev/dev_mem.c - a device in memory */
#include "dev/dev_impl.h"

#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/mem.h"

struct mem_dev {
	struct bd_dev dev;
	char *mem;
	bool owned;
};

static void mem_submit(struct bd_dev *dev, struct bd_ring *ring, struct bd_io *io)
{
	(void)ring;
	char *mem = ((struct mem_dev *)dev)->mem + io->offset;
	uint32_t pos = 0;

	while (io->op != BD_IO_FLUSH && pos < io->len) {
		struct iovec piece = bd_io_piece(io, pos);
		if (io->op == BD_IO_READ)
			memcpy(piece.iov_base, mem + pos, piece.iov_len);
		else
			memcpy(mem + pos, piece.iov_base, piece.iov_len);
		pos += (uint32_t)piece.iov_len;
	}
	bd_io_complete(io, 0);
}

static void mem_close(struct bd_dev *dev)
{
	struct mem_dev *mem = (struct mem_dev *)dev;
	if (mem->owned)
		free(mem->mem);
}

static const struct bd_dev_ops mem_ops = {.submit = mem_submit, .close = mem_close};

int bd_dev_wrap_mem(const char *name, void *mem, uint64_t size, bool writable, struct bd_dev **out)
{
	struct bd_dev *dev = bd_dev_alloc(sizeof(struct mem_dev), &mem_ops, name);
	if (!dev)
		return BD_FAIL(-ENOMEM, MEM_DEV_ALLOC, "no memory for the device %s", name);
	((struct mem_dev *)dev)->mem = mem;
	dev->size = size;
	dev->writable = writable;
	*out = dev;
	return 0;
}

int bd_dev_open_mem(const char *name, uint64_t size, struct bd_dev **out)
{
	void *mem = bd_zalloc(size);
	if (!mem)
		return BD_FAIL(-ENOMEM, MEM_DEV_BYTES, "no memory for the %llu bytes of %s",
			       (unsigned long long)size, name);
	int err = bd_dev_wrap_mem(name, mem, size, true, out);
	if (err) {
		free(mem);
		return err;
	}
	((struct mem_dev *)*out)->owned = true;
	return 0;
}
