/* SPDX-License-Identifier: MIT */
/* dev/ring.h - where I/Os are queued, started and reaped: io_uring, or blocking calls */
#ifndef BD_DEV_RING_H
#define BD_DEV_RING_H

#include "dev/dev.h"

enum bd_ring_kind {
	BD_RING_URING,	  /* io_uring; falls back to BD_RING_BLOCKING where it is forbidden */
	BD_RING_BLOCKING, /* preadv/pwritev at submission */
};

/* Only the creating thread uses the ring: the kernel defers completions until that thread asks. */
#define BD_RING_SINGLE_ISSUER (1u << 0)
#define BD_RING_SQPOLL	      (1u << 1) /* where the kernel permits it */
#define BD_RING_IOPOLL	      (1u << 2)

struct bd_ring_opts {
	enum bd_ring_kind kind;
	unsigned int depth; /* I/Os in the kernel at once, 1..4096; more wait in a list */
	unsigned int flags; /* BD_RING_* */
};

struct bd_ring_stats {
	bd_counter syscalls;	  /* io_uring_enter, preadv, pwritev, fdatasync */
	bd_counter submitted;	  /* I/Os */
	bd_counter short_resumed; /* short transfers that were continued */
};

/*
 * Threads: any thread may submit, start and drive; a mutex inside. With
 * BD_RING_SINGLE_ISSUER only the creating thread may. done() callbacks run on whoever drives.
 */
int bd_ring_new(const struct bd_ring_opts *opts, struct bd_ring **out);
/* Waits for everything in flight, runs the callbacks, frees. NULL is fine. */
void bd_ring_free(struct bd_ring *ring);

enum bd_ring_kind bd_ring_kind(const struct bd_ring *ring);

/* Hand what was queued by bd_dev_submit() to the kernel without waiting. 0 or -errno. */
int bd_ring_start(struct bd_ring *ring);

/*
 * Start what is queued and run the callbacks of what has finished.
 * @wait: block until at least one callback ran, unless nothing is in flight
 * @timeout_ns: bound of the block; 0: none
 * What the callbacks submit is started by the next call, or, when there is an eventfd, whose
 * owner may sleep before the next call, by this one.
 * Return: number of callbacks run meanwhile, by this or another thread that drives the ring
 * (0: nothing in flight, or time is over); -errno of the ring itself.
 */
int bd_ring_drive(struct bd_ring *ring, bool wait, uint64_t timeout_ns);

/*
 * Drive until *done is true, which a callback sets. Unlike a loop around bd_ring_drive() it does
 * not sleep on when the callback ran on another thread just before.
 * Return: 0; -ECANCELED: nothing is in flight that could still set it; -errno of the ring.
 */
int bd_ring_wait(struct bd_ring *ring, const atomic_bool *done);

/* I/Os submitted and not yet called back. */
unsigned int bd_ring_in_flight(const struct bd_ring *ring);

/* An eventfd (owned by the ring) that becomes readable when something finished. fd or -errno. */
int bd_ring_eventfd(struct bd_ring *ring);

/* Make the eventfd readable, if there is one: its owner has something that came without I/O. */
void bd_ring_signal(struct bd_ring *ring);

/*
 * Registered buffers for fixed I/O; a second call replaces them, n = 0 forgets them. Without them
 * bd_io.buf_index is ignored. -EBUSY: I/Os are in flight. -errno: the kernel refuses, and none
 * are registered. Files are registered by themselves on first use, where that is possible.
 */
int bd_ring_register_buffers(struct bd_ring *ring, const struct iovec *iov, unsigned int n);

const struct bd_ring_stats *bd_ring_stats(const struct bd_ring *ring);

#endif
