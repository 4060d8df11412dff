/* SPDX-License-Identifier: MIT */
/* dev/ring_uring.h - a ring on io_uring: set up in ring_setup.c, used in ring_uring.c */
#ifndef BD_DEV_RING_URING_H
#define BD_DEV_RING_URING_H

#include <liburing.h>
#include "dev/ring_impl.h"

#define BD_URING_FILES 64 /* devices whose descriptors are registered; more use the plain ones */

struct bd_uring {
	struct bd_ring ring;
	struct io_uring uring;
	struct bd_io_list pending; /* not yet given to the kernel */
	struct bd_io_list refused; /* by the ring: to be done with blocking calls */
	unsigned int depth;	   /* I/Os let into the kernel at once */
	unsigned int
		in_kernel; /* I/Os in the submission queue, the kernel or the completion queue */
	unsigned int enter_flags; /* in every system call */
	int wake_fd;	 /* eventfd that ends the sleep of the blocked thread; -1: polled ring */
	bool wake_armed; /* a poll of wake_fd is queued or in the kernel */
	unsigned int num_buffers;
	unsigned int num_files, max_files;
	struct bd_dev *files[BD_URING_FILES];
};

static inline struct bd_uring *bd_uring_of(struct bd_ring *ring)
{
	return (struct bd_uring *)ring;
}

extern const struct bd_ring_ops bd_uring_ops;

void bd_uring_free(struct bd_ring *ring);

#endif
