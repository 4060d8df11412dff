/* SPDX-License-Identifier: MIT */
/* dev/ring_setup.c - create an io_uring with the best modes that the kernel has */
#include "dev/ring_uring.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/mem.h"

/*
 * Best first; the kernel refuses unknown or conflicting modes with -EINVAL.
 *
 * Without one of the first two, each completion interrupts the thread that submitted it. The
 * first one leaves completions to the one thread that may use the ring, when it asks for them.
 * The second one lets others wait for them too: a busy submitter delays those by a timer tick
 * at most. The kernel raises a flag when something is ready, so that looking is free.
 */
static const unsigned int modes[] = {
	IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SINGLE_ISSUER |
		IORING_SETUP_DEFER_TASKRUN, /* Linux 6.1 */
	IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_COOP_TASKRUN, /* 5.19 */
	IORING_SETUP_SUBMIT_ALL, /* 5.18, and SQPOLL */
	0,
};
#define NUM_MODES (sizeof(modes) / sizeof(modes[0]))

/* Waiting with a time limit needs the last one: Linux 5.11. */
#define NEEDED (IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE | IORING_FEAT_EXT_ARG)

static int try_modes(struct bd_uring *u, unsigned int first, unsigned int extra)
{
	/* One more for the poll that wakes, beside as many I/Os as are let in. */
	unsigned int entries = u->depth + 1;
	int err = -EINVAL;

	for (unsigned int i = first; err == -EINVAL && i < NUM_MODES; i++) {
		struct io_uring_params params = {.flags = modes[i] | extra};
		err = io_uring_queue_init_params(entries, &u->uring, &params);
	}
	if (!err && (u->uring.features & NEEDED) != NEEDED) {
		io_uring_queue_exit(&u->uring);
		return -EOPNOTSUPP;
	}
	return err;
}

static int create(struct bd_uring *u, unsigned int flags)
{
	unsigned int extra = 0;
	unsigned int first = flags & BD_RING_SINGLE_ISSUER ? 0 : 1;

	if (flags & BD_RING_SQPOLL)
		extra |= IORING_SETUP_SQPOLL;
	if (flags & BD_RING_IOPOLL)
		extra |= IORING_SETUP_IOPOLL;
	int err = try_modes(u, first, extra);
	/* Old kernels want privileges for SQPOLL. */
	return err && extra ? try_modes(u, first, 0) : err;
}

/* What makes it faster and may fail. */
static void tune(struct bd_uring *u)
{
	if (!io_uring_register_files_sparse(&u->uring, BD_URING_FILES))
		u->max_files = BD_URING_FILES;
	/* The registration belongs to a thread: of use where only one enters. */
	if (u->uring.flags & IORING_SETUP_SINGLE_ISSUER &&
	    io_uring_register_ring_fd(&u->uring) == 1)
		u->enter_flags = IORING_ENTER_REGISTERED_RING;
}

int bd_ring_new_uring(const struct bd_ring_opts *opts, struct bd_ring **out)
{
	struct bd_uring *u = bd_zalloc(sizeof(*u));
	int err = u ? bd_ring_init(&u->ring, BD_RING_URING, &bd_uring_ops) : -ENOMEM;
	if (err)
		goto fail_memory;
	STAILQ_INIT(&u->pending);
	STAILQ_INIT(&u->refused);
	u->depth = opts->depth;
	u->wake_fd = -1;
	err = create(u, opts->flags);
	if (err)
		goto fail_ring;
	if (!(u->uring.flags & IORING_SETUP_IOPOLL)) {
		u->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (u->wake_fd < 0) {
			err = -errno;
			goto fail_uring;
		}
	}
	tune(u);
	*out = &u->ring;
	return 0;
fail_uring:
	io_uring_queue_exit(&u->uring);
fail_ring:
	bd_ring_fini(&u->ring);
fail_memory:
	free(u);
	return err;
}

void bd_uring_free(struct bd_ring *ring)
{
	struct bd_uring *u = bd_uring_of(ring);

	io_uring_queue_exit(&u->uring);
	for (unsigned int i = 0; i < u->num_files; i++)
		atomic_fetch_sub_explicit(&u->files[i]->rings, 1, memory_order_relaxed);
	if (u->wake_fd >= 0)
		close(u->wake_fd);
	bd_ring_fini(ring);
	free(u);
}
