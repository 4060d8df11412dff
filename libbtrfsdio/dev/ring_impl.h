/* SPDX-License-Identifier: MIT */
/* dev/ring_impl.h - what both kinds of ring have, and what each does its own way */
#ifndef BD_DEV_RING_IMPL_H
#define BD_DEV_RING_IMPL_H

#include "dev/dev_impl.h"

STAILQ_HEAD(bd_io_list, bd_io);

enum bd_ring_advance {
	BD_RING_START, /* only hand to the kernel what is queued */
	BD_RING_PEEK,  /* and collect what has finished */
	BD_RING_BLOCK, /* and sleep until something has, or wake() is called, or time is over */
};

struct bd_ring_ops {
	/* Take an I/O on a file descriptor. Without the lock. */
	void (*submit)(struct bd_ring *ring, struct bd_io *io);
	/*
	 * Move what has finished to ring->finished. With the lock, which is dropped around system
	 * calls. One thread at a time may block; no other one collects meanwhile, so that none
	 * takes away what the sleeping one waits for. @deadline: CLOCK_MONOTONIC ns, 0: none.
	 */
	int (*advance)(struct bd_ring *ring, enum bd_ring_advance how, uint64_t deadline);
	/* May BD_RING_BLOCK be used now? False: what is in flight completes by bd_io_complete().
	 * With the lock. */
	bool (*can_block)(const struct bd_ring *ring);
	/* End the sleep of the thread inside BD_RING_BLOCK, now or when it is about to begin. With
	 * the lock. */
	void (*wake)(struct bd_ring *ring);
	/* Write @fd whenever something finishes in the kernel. With the lock. */
	int (*attach_eventfd)(struct bd_ring *ring, int fd);
	/* With the lock, nothing in flight. */
	int (*register_buffers)(struct bd_ring *ring, const struct iovec *iov, unsigned int n);
	/* Nothing is in flight; frees @ring. */
	void (*free)(struct bd_ring *ring);
};

struct bd_ring {
	const struct bd_ring_ops *ops;
	enum bd_ring_kind kind;
	_Atomic unsigned int in_flight;
	struct bd_ring_stats stats;

	pthread_mutex_t lock; /* all below */
	pthread_cond_t changed;
	struct bd_io_list finished; /* complete, callback not yet run */
	uint64_t ran;		    /* callbacks run since the ring exists */
	unsigned int running;	    /* threads inside callbacks */
	unsigned int sleepers;	    /* threads that wait for changed */
	bool blocked;		    /* a thread is inside BD_RING_BLOCK */
	bool peek_missed;	    /* a peek found nothing while another thread was at it */
	int event_fd;		    /* -1: nobody asked for one */
};

int bd_ring_init(struct bd_ring *ring, enum bd_ring_kind kind, const struct bd_ring_ops *ops);
void bd_ring_fini(struct bd_ring *ring);

/* io_uring. Not reported: the caller has another kind to fall back to. */
int bd_ring_new_uring(const struct bd_ring_opts *opts, struct bd_ring **out);
int bd_ring_new_blocking(struct bd_ring **out);
/* In the caller's own memory, released with bd_ring_fini(). */
int bd_ring_init_blocking(struct bd_ring *ring);

uint64_t bd_now_ns(void);

#endif
