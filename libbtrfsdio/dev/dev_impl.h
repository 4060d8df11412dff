/* SPDX-License-Identifier: MIT */
/* dev/dev_impl.h - what the back ends of dev.h share */
#ifndef BD_DEV_DEV_IMPL_H
#define BD_DEV_DEV_IMPL_H

#include "dev/ring.h"

/*
 * Upper bound of max_io. A larger request may not fit one bio's segments when its pages are
 * scattered, and io_uring then hands it to a worker thread instead of submitting it at once.
 */
#define BD_DEV_MAX_IO (256u << 10)

/*
 * A zeroed back end of @size bytes that begins with its struct bd_dev; io_align 1, no fd.
 * Released by bd_dev_close(), which calls ops->close() for what the back end itself holds.
 */
struct bd_dev *bd_dev_alloc(size_t size, const struct bd_dev_ops *ops, const char *name);

/* For stacking devices: an I/O that serves another one, which is the one that the ring counts. */
void bd_dev_submit_inner(struct bd_ring *ring, struct bd_io *io);

/* The contiguous piece of @io's data that begins at @pos < io->len. */
struct iovec bd_io_piece(const struct bd_io *io, uint32_t pos);

/* For devices with a file descriptor: let the ring transfer @io. */
void bd_ring_submit_fd(struct bd_ring *ring, struct bd_io *io);

/*
 * Account @res, the result of one transfer of @io: a count or a negative errno.
 * Return: true: @io has to go on at io->progress; false: it is finished and io->res is set.
 */
bool bd_io_advance(struct bd_io *io, int res, struct bd_ring_stats *stats);

/* The whole of @io with blocking calls; sets io->res. */
void bd_io_transfer(struct bd_io *io, struct bd_ring_stats *stats);

#endif
