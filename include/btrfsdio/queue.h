/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/queue.h - many reads in flight, as with liburing
 *
 * Prepare requests, submit them together, wait for or peek at completions:
 *
 *	bdio_queue_read(q, file, buf, len, off, 0, cookie);	prepare, any number up to the depth
 *	bdio_queue_submit(q);					start them
 *	n = bdio_queue_wait(q, done, 16, 1, -1);		at least one completion
 *
 * Contract: submit returns how many requests it accepted; exactly those complete, each once. A
 * read buffer belongs to the library from submit until its completion was returned.
 *
 * Threads: a queue is for one thread at a time; make one per thread. Any number of queues may
 * work on one file.
 *
 * Example: examples/parallel_reader.c
 */
#ifndef BTRFSDIO_QUEUE_H
#define BTRFSDIO_QUEUE_H

#include <sys/uio.h>
#include "btrfsdio/error.h"
#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BDIO_QUEUE_SINGLE_ISSUER (1ull << 0) /* only the creating thread uses and destroys it */
#define BDIO_QUEUE_SQPOLL	 (1ull << 1) /* a kernel thread submits */
#define BDIO_QUEUE_IOPOLL	 (1ull << 2) /* busy-wait for completions, where all devices can poll */
#define BDIO_QUEUE_BLOCKING	 (1ull << 3) /* blocking system calls, no io_uring */

struct bdio_queue_opts { /* zero it, set .size */
	size_t size;
	uint64_t flags;	       /* BDIO_QUEUE_* */
	uint32_t depth;	       /* requests prepared or in flight, 1..4096; default 128 */
	uint32_t reserved;     /* must be 0 */
	uint64_t reserved2[4]; /* must be 0 */
};

/* The data was read without a checksum to compare with (nodatasum or not asked to verify). */
#define BDIO_COMPLETION_UNVERIFIED (1u << 0)
/* Some of the data came from another copy or from parity, because the first one failed. */
#define BDIO_COMPLETION_REPAIRED (1u << 1)

struct bdio_completion {
	uint64_t user_data; /* as given when the request was prepared */
	ssize_t result;	    /* as of bdio_file_read() */
	uint32_t flags;	    /* BDIO_COMPLETION_* */
	uint32_t reserved;
	/*
	 * When result is negative, or short because of a bad sector: what failed. Else NULL.
	 * Valid until the next wait, peek or destroy of this queue.
	 */
	const struct bdio_error *error;
};

/**
 * bdio_queue_create() - a queue with its own ring
 * @opts: NULL: defaults
 * Where io_uring is forbidden the queue works with blocking calls: same results.
 * Return: 0; -EINVAL; -ENOMEM.
 */
BDIO_API int bdio_queue_create(struct bdio_fs *fs, const struct bdio_queue_opts *opts,
			       struct bdio_queue **out);

/* Waits for what is in flight; completions not yet returned are dropped. NULL is fine. */
BDIO_API void bdio_queue_destroy(struct bdio_queue *queue);

/**
 * bdio_queue_read() - prepare a read; arguments as of bdio_file_read()
 * @user_data: returned with the completion
 * Return: 0; -EAGAIN depth requests are prepared or in flight: submit, reap, try again (sets no
 * error record); -EINVAL.
 */
BDIO_API int bdio_queue_read(struct bdio_queue *queue, struct bdio_file *file, void *buf,
			     size_t len, uint64_t offset, unsigned int flags, uint64_t user_data);

/* The same into several buffers; @iov is copied. At most 1024 of them. */
BDIO_API int bdio_queue_readv(struct bdio_queue *queue, struct bdio_file *file,
			      const struct iovec *iov, unsigned int iovcnt, uint64_t offset,
			      unsigned int flags, uint64_t user_data);

/**
 * bdio_queue_submit() - start everything that is prepared
 * Metadata that is not cached is read here, blocking.
 * Return: number of requests accepted; -errno when none was.
 */
BDIO_API int bdio_queue_submit(struct bdio_queue *queue);

/**
 * bdio_queue_wait() - return completions
 * @out, @max: array
 * @min: block until this many are there, at most @max; 0: as bdio_queue_peek()
 * @timeout_ns: at most this long; negative: no limit
 *
 * Returns early when fewer than @min requests are in flight. Does not submit.
 * Return: completions written, in no particular order; fewer than @min after a timeout.
 */
BDIO_API int bdio_queue_wait(struct bdio_queue *queue, struct bdio_completion *out,
			     unsigned int max, unsigned int min, int64_t timeout_ns);

/**
 * bdio_queue_submit_and_wait() - bdio_queue_submit(), then bdio_queue_wait()
 * Both in one system call where each would need one; all that is prepared is accepted.
 * Return: as bdio_queue_wait().
 */
BDIO_API int bdio_queue_submit_and_wait(struct bdio_queue *queue, struct bdio_completion *out,
					unsigned int max, unsigned int min, int64_t timeout_ns);

/* Completions that are there, without blocking. */
BDIO_API int bdio_queue_peek(struct bdio_queue *queue, struct bdio_completion *out,
			     unsigned int max);

/**
 * bdio_queue_eventfd() - a descriptor for poll loops
 * Readable when bdio_queue_peek() may have something; may wake up spuriously. Read it (8 bytes),
 * then peek until nothing comes. It belongs to the queue. Return: the descriptor; -errno.
 */
BDIO_API int bdio_queue_eventfd(struct bdio_queue *queue);

/**
 * bdio_queue_register() - register buffers with the kernel once, instead of with every read
 * Reads that lie inside one of them are cheaper. Replaces those registered before; @n 0 removes
 * them. Nothing may be in flight. Return: 0; -EBUSY; -ENOMEM over RLIMIT_MEMLOCK; -EOPNOTSUPP no
 * io_uring.
 */
BDIO_API int bdio_queue_register(struct bdio_queue *queue, const struct iovec *buffers,
				 unsigned int n);

#ifdef __cplusplus
}
#endif
#endif
