/* SPDX-License-Identifier: MIT */
/* dio/queue.h - requests of one thread: prepared, in flight, done */
#ifndef BD_DIO_QUEUE_H
#define BD_DIO_QUEUE_H

#include "btrfsdio/queue.h"
#include "dio/reader.h"

struct bd_request {
	struct bd_read read; /* first: the completion finds the request by it */
	struct bd_queue *queue;
	uint64_t user_data;
	struct iovec one_iov;
	struct iovec *iov_copy; /* NULL: one_iov is used */
	STAILQ_ENTRY(bd_request) link;
};

STAILQ_HEAD(bd_request_list, bd_request);

/*
 * A request moves free → prepared → (in flight, in no list) → done → free. Error records of
 * returned completions are kept until the next call.
 */
struct bd_queue {
	struct bd_lspace *ls;
	struct bd_ring *ring;
	struct bd_reader reader;
	struct bd_request *requests;
	unsigned int depth, in_flight;
	struct bd_request_list free, prepared, done;
	struct bdio_error **errors; /* of the completions that were returned last */
	unsigned int num_errors;
	struct iovec *buffers; /* registered, ascending */
	unsigned int num_buffers;
};

int bd_queue_new(struct bd_inodes *inodes, struct bd_read_counters *counters,
		 const struct bd_ring_opts *ring, unsigned int depth, struct bd_queue **out);
void bd_queue_free(struct bd_queue *queue);

/* @iov is copied, its sum fits and the range ends inside the file. Return: 0; -EAGAIN; -ENOMEM. */
int bd_queue_prepare(struct bd_queue *queue, const struct bd_inode *inode, const struct iovec *iov,
		     unsigned int iovcnt, uint64_t offset, size_t len, unsigned int flags,
		     uint64_t user_data);
int bd_queue_submit(struct bd_queue *queue);
/* Start what is prepared and reap, in one system call where both need one. Return as
 * bd_queue_reap(). */
int bd_queue_submit_and_reap(struct bd_queue *queue, struct bdio_completion *out, unsigned int max,
			     unsigned int min, int64_t timeout_ns);
int bd_queue_reap(struct bd_queue *queue, struct bdio_completion *out, unsigned int max,
		  unsigned int min, int64_t timeout_ns);
int bd_queue_register(struct bd_queue *queue, const struct iovec *buffers, unsigned int n);

#endif
