/* SPDX-License-Identifier: MIT */
/* dev/dev_caller.c - a device of functions that the caller of the library supplies */
#include "dev/dev_impl.h"

#include <string.h>
#include "base/err.h"

#define CALLER_ALIGN 512 /* promised in btrfsdio/device.h */

struct caller_dev {
	struct bd_dev dev;
	struct bdio_device fn;
};

static int transfer(const struct bdio_device *fn, const struct bd_io *io)
{
	uint32_t pos = 0;
	int err = 0;

	if (io->op == BD_IO_FLUSH)
		return fn->flush(fn->priv);
	while (!err && pos < io->len) {
		struct iovec piece = bd_io_piece(io, pos);
		uint64_t at = io->offset + pos;
		if (io->op == BD_IO_READ)
			err = fn->read(fn->priv, piece.iov_base, piece.iov_len, at);
		else
			err = fn->write(fn->priv, piece.iov_base, piece.iov_len, at);
		pos += (uint32_t)piece.iov_len;
	}
	return err;
}

static void caller_submit(struct bd_dev *dev, struct bd_ring *ring, struct bd_io *io)
{
	(void)ring;
	int err = transfer(&((struct caller_dev *)dev)->fn, io);
	/* A function that returns a count breaks its contract: nothing says that all was done. */
	bd_io_complete(io, err > 0 ? -EIO : err);
}

static void caller_close(struct bd_dev *dev)
{
	const struct bdio_device *fn = &((struct caller_dev *)dev)->fn;
	if (fn->close)
		fn->close(fn->priv);
}

static const struct bd_dev_ops caller_ops = {.submit = caller_submit, .close = caller_close};

static int check_caller(const struct bdio_device *caller)
{
	if (caller->size != sizeof(*caller))
		return BD_FAIL(-EINVAL, CALLER_DEV_SIZE,
			       "struct bdio_device: size %zu is of no known version", caller->size);
	for (size_t i = 0; i < sizeof(caller->reserved) / sizeof(caller->reserved[0]); i++) {
		if (caller->reserved[i])
			return BD_FAIL(-EINVAL, CALLER_DEV_RESERVED,
				       "struct bdio_device: a reserved field is not 0");
	}
	if (!caller->read || !caller->size_bytes || (caller->write && !caller->flush))
		return BD_FAIL(-EINVAL, CALLER_DEV_FUNCTIONS,
			       "struct bdio_device: a required function is missing");
	return 0;
}

int bd_dev_open_caller(const struct bdio_device *caller, struct bd_dev **out)
{
	uint64_t size;
	int err = check_caller(caller);
	if (err)
		return err;
	const char *name = caller->name ? caller->name : "caller's device";
	err = caller->size_bytes(caller->priv, &size);
	if (err)
		return BD_FAIL(err < 0 ? err : -EIO, CALLER_DEV_BYTES, "cannot get the size of %s",
			       name);

	struct bd_dev *dev = bd_dev_alloc(sizeof(struct caller_dev), &caller_ops, name);
	if (!dev)
		return BD_FAIL(-ENOMEM, CALLER_DEV_ALLOC, "no memory for the device %s", name);
	((struct caller_dev *)dev)->fn = *caller;
	dev->size = size;
	dev->io_align = CALLER_ALIGN;
	dev->writable = caller->write != NULL;
	*out = dev;
	return 0;
}
