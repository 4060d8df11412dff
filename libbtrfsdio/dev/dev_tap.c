/* SPDX-License-Identifier: MIT */
/* dev/dev_tap.c - a device that shows each I/O of another device to somebody */
#include "dev/dev_impl.h"

#include <stdlib.h>
#include "base/err.h"
#include "base/mem.h"

STAILQ_HEAD(tap_held, bd_io);

struct tap_dev {
	struct bd_dev dev;
	struct bd_dev *lower;
	struct bd_tap *tap;
	pthread_mutex_t lock; /* the two below; no other lock is taken under it */
	struct tap_held held;
	unsigned int num_held;
};

/* What goes down for @upper. Until then, and while it is held back, it is on no list of the ring.
 */
struct tap_io {
	struct bd_io io;
	struct bd_io *upper;
};

static void tap_back(struct bd_io *io)
{
	struct tap_io *t = io->priv;
	struct tap_dev *tap_dev = (struct tap_dev *)t->upper->dev;
	struct bd_tap *tap = tap_dev->tap;

	t->upper->res = io->res;
	if (tap->after)
		tap->after(tap, t->upper);
	bd_io_complete(t->upper, t->upper->res);
	free(t);
}

static void tap_down(struct bd_io *io)
{
	struct tap_io *t = io->priv;
	const struct bd_io *upper = t->upper;

	t->io = (struct bd_io){.dev = ((struct tap_dev *)upper->dev)->lower,
			       .op = upper->op,
			       .offset = upper->offset,
			       .len = upper->len,
			       .buf_index = upper->buf_index,
			       .buf = upper->buf,
			       .iov = upper->iov,
			       .iovcnt = upper->iovcnt,
			       .done = tap_back,
			       .priv = t};
	bd_dev_submit_inner(upper->ring, &t->io);
}

/*
 * A held I/O goes on when its own completion is called back: only a thread that drives the
 * ring may hand I/Os to it, and the thread that lets go need not be one.
 */
static void hold(struct tap_dev *tap_dev, struct tap_io *t)
{
	t->io = (struct bd_io){.dev = &tap_dev->dev,
			       .ring = t->upper->ring,
			       .inner = true,
			       .done = tap_down,
			       .priv = t};
	bd_lock(&tap_dev->lock);
	STAILQ_INSERT_TAIL(&tap_dev->held, &t->io, link);
	tap_dev->num_held++;
	bd_unlock(&tap_dev->lock);
}

static void tap_submit(struct bd_dev *dev, struct bd_ring *ring, struct bd_io *io)
{
	(void)ring;
	struct tap_dev *tap_dev = (struct tap_dev *)dev;
	struct bd_tap *tap = tap_dev->tap;
	int res = 0;

	int verdict = tap->before ? tap->before(tap, io, &res) : 1;
	if (!verdict) {
		bd_io_complete(io, res);
		return;
	}
	struct tap_io *t = bd_zalloc(sizeof(*t));
	if (!t) {
		bd_io_complete(io, -ENOMEM);
		return;
	}
	t->upper = io;
	t->io.priv = t;
	if (verdict == BD_TAP_HOLD)
		hold(tap_dev, t);
	else
		tap_down(&t->io);
}

void bd_dev_tap_release(struct bd_dev *dev)
{
	struct tap_dev *tap_dev = (struct tap_dev *)dev;
	struct tap_held released = STAILQ_HEAD_INITIALIZER(released);
	struct bd_io *io;

	bd_lock(&tap_dev->lock);
	STAILQ_CONCAT(&released, &tap_dev->held);
	tap_dev->num_held = 0;
	bd_unlock(&tap_dev->lock);
	while ((io = STAILQ_FIRST(&released))) {
		STAILQ_REMOVE_HEAD(&released, link);
		atomic_fetch_add_explicit(&dev->in_flight, 1, memory_order_relaxed);
		bd_io_complete(io, 0);
	}
}

unsigned int bd_dev_tap_held(struct bd_dev *dev)
{
	struct tap_dev *tap_dev = (struct tap_dev *)dev;
	bd_lock(&tap_dev->lock);
	unsigned int n = tap_dev->num_held;
	bd_unlock(&tap_dev->lock);
	return n;
}

static void tap_close(struct bd_dev *dev)
{
	struct tap_dev *tap_dev = (struct tap_dev *)dev;
	if (tap_dev->tap->close)
		tap_dev->tap->close(tap_dev->tap);
	bd_dev_close(tap_dev->lower);
	pthread_mutex_destroy(&tap_dev->lock);
}

static const struct bd_dev_ops tap_ops = {.submit = tap_submit, .close = tap_close};

int bd_dev_open_tap(struct bd_dev *lower, struct bd_tap *tap, struct bd_dev **out)
{
	struct bd_dev *dev = bd_dev_alloc(sizeof(struct tap_dev), &tap_ops, lower->name);
	if (!dev)
		return BD_FAIL(-ENOMEM, TAP_ALLOC, "no memory for a tap on %s", lower->name);
	struct tap_dev *tap_dev = (struct tap_dev *)dev;
	tap_dev->lower = lower;
	tap_dev->tap = tap;
	STAILQ_INIT(&tap_dev->held);
	pthread_mutex_init(&tap_dev->lock, NULL);

	dev->size = lower->size;
	dev->io_align = lower->io_align;
	dev->max_io = lower->max_io;
	dev->writable = lower->writable;
	dev->buffered = lower->buffered;
	dev->is_block = lower->is_block;
	*out = dev;
	return 0;
}
