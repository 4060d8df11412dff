/* SPDX-License-Identifier: MIT */
/* dio/queue.c - requests of one thread: prepared, in flight, done */
#include "dio/queue.h"

#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"

#define NSEC_PER_SEC 1000000000ULL

int bd_queue_new(struct bd_inodes *inodes, struct bd_read_counters *counters,
		 const struct bd_ring_opts *ring, unsigned int depth, struct bd_queue **out)
{
	struct bd_queue *queue = bd_zalloc(sizeof(*queue));
	int err;

	if (!queue)
		return BD_FAIL(-ENOMEM, QUEUE_NEW, "no memory for a queue");
	queue->ls = &inodes->vol->ls;
	queue->depth = depth;
	STAILQ_INIT(&queue->free);
	STAILQ_INIT(&queue->prepared);
	STAILQ_INIT(&queue->done);
	queue->requests = bd_calloc(depth, sizeof(*queue->requests));
	queue->errors = bd_calloc(depth, sizeof(*queue->errors));
	if (!queue->requests || !queue->errors) {
		err = BD_FAIL(-ENOMEM, QUEUE_REQUESTS, "no memory for %u requests", depth);
		goto fail;
	}
	err = bd_ring_new(ring, &queue->ring);
	if (err)
		goto fail;
	bd_reader_init(&queue->reader, inodes, queue->ring, counters);
	for (unsigned int i = 0; i < depth; i++) {
		queue->requests[i].queue = queue;
		STAILQ_INSERT_TAIL(&queue->free, &queue->requests[i], link);
	}
	*out = queue;
	return 0;
fail:
	free(queue->errors);
	free(queue->requests);
	free(queue);
	return err;
}

/* Forget what the last completions pointed to. */
static void drop_errors(struct bd_queue *queue)
{
	while (queue->num_errors)
		free(queue->errors[--queue->num_errors]);
}

static void drop_iov(struct bd_request *req)
{
	free(req->iov_copy);
	req->iov_copy = NULL;
}

void bd_queue_free(struct bd_queue *queue)
{
	if (!queue)
		return;
	while (queue->in_flight)
		bd_ring_drive(queue->ring, true, 0);
	drop_errors(queue);
	for (unsigned int i = 0; i < queue->depth; i++) {
		drop_iov(&queue->requests[i]);
		free(queue->requests[i].read.error);
	}
	bd_reader_fini(&queue->reader);
	bd_lspace_ring_free(queue->ls, queue->ring);
	free(queue->buffers);
	free(queue->errors);
	free(queue->requests);
	free(queue);
}

/* The registered buffer that holds [base, base + len), or -1. */
static int find_buffer(const struct bd_queue *queue, const void *base, size_t len)
{
	uintptr_t want = (uintptr_t)base;

	for (unsigned int i = 0; i < queue->num_buffers; i++) {
		uintptr_t start = (uintptr_t)queue->buffers[i].iov_base;

		if (want >= start && want - start <= queue->buffers[i].iov_len &&
		    len <= queue->buffers[i].iov_len - (want - start))
			return (int)i;
	}
	return -1;
}

static void request_done(struct bd_read *read)
{
	struct bd_request *req = (struct bd_request *)read;
	struct bd_queue *queue = req->queue;

	drop_iov(req);
	queue->in_flight--;
	STAILQ_INSERT_TAIL(&queue->done, req, link);
}

int bd_queue_prepare(struct bd_queue *queue, const struct bd_inode *inode, const struct iovec *iov,
		     unsigned int iovcnt, uint64_t offset, size_t len, unsigned int flags,
		     uint64_t user_data)
{
	struct bd_request *req = STAILQ_FIRST(&queue->free);

	if (!req)
		return -EAGAIN;
	if (iovcnt > 1) {
		req->iov_copy = bd_calloc(iovcnt, sizeof(*iov));
		if (!req->iov_copy)
			return BD_FAIL(-ENOMEM, REQUEST_IOV, "no memory for %u vectors", iovcnt);
		memcpy(req->iov_copy, iov, iovcnt * sizeof(*iov));
	} else if (iovcnt) {
		req->one_iov = *iov;
	}
	STAILQ_REMOVE_HEAD(&queue->free, link);
	req->user_data = user_data;
	req->read = (struct bd_read){
		.inode = inode,
		.iov = req->iov_copy ? req->iov_copy : &req->one_iov,
		.iovcnt = iovcnt,
		.buf_index = iovcnt == 1 ? find_buffer(queue, iov->iov_base, iov->iov_len) : -1,
		.offset = offset,
		.len = len,
		.flags = flags,
		.done = request_done,
	};
	STAILQ_INSERT_TAIL(&queue->prepared, req, link);
	return 0;
}

/* Plan everything that is prepared; its I/O waits for the ring's next start. */
static int plan_prepared(struct bd_queue *queue)
{
	int n = 0;

	while (!STAILQ_EMPTY(&queue->prepared)) {
		struct bd_request *req = STAILQ_FIRST(&queue->prepared);

		STAILQ_REMOVE_HEAD(&queue->prepared, link);
		queue->in_flight++;
		bd_read_start(&queue->reader, &req->read);
		n++;
	}
	return n;
}

int bd_queue_submit(struct bd_queue *queue)
{
	int n = plan_prepared(queue);
	int err = bd_ring_start(queue->ring);

	/* holes and inline data are there without any I/O that could tell */
	if (!STAILQ_EMPTY(&queue->done))
		bd_ring_signal(queue->ring);
	return n || !err ? n : err;
}

static unsigned int take_done(struct bd_queue *queue, struct bdio_completion *out, unsigned int max)
{
	unsigned int n = 0;

	while (n < max && !STAILQ_EMPTY(&queue->done)) {
		struct bd_request *req = STAILQ_FIRST(&queue->done);

		STAILQ_REMOVE_HEAD(&queue->done, link);
		out[n++] = (struct bdio_completion){
			.user_data = req->user_data,
			.result = req->read.result,
			.flags =
				(req->read.flags & BD_READ_UNVERIFIED ? BDIO_COMPLETION_UNVERIFIED
								      : 0) |
				(req->read.flags & BD_READ_REPAIRED ? BDIO_COMPLETION_REPAIRED : 0),
			.error = req->read.error,
		};
		/* No more than depth are done at a time, so there is room for their errors. */
		if (req->read.error)
			queue->errors[queue->num_errors++] = req->read.error;
		req->read.error = NULL;
		STAILQ_INSERT_HEAD(&queue->free, req, link);
	}
	return n;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* What the kernel has finished, without waiting. */
static int drive_ready(struct bd_queue *queue)
{
	int ret = queue->in_flight ? bd_ring_drive(queue->ring, false, 0) : 0;

	return ret < 0 ? ret : 0;
}

int bd_queue_reap(struct bd_queue *queue, struct bdio_completion *out, unsigned int max,
		  unsigned int min, int64_t timeout_ns)
{
	uint64_t end = timeout_ns > 0 ? now_ns() + (uint64_t)timeout_ns : 0;
	unsigned int n;
	int ret = 0;

	drop_errors(queue);
	n = take_done(queue, out, max);
	if (n < max && (n >= min || timeout_ns == 0))
		ret = drive_ready(queue);
	while (ret >= 0 && n < min && queue->in_flight) {
		uint64_t left = 0;

		if (timeout_ns >= 0) {
			uint64_t now = timeout_ns ? now_ns() : 0;

			if (now >= end)
				break;
			left = end - now;
		}
		ret = bd_ring_drive(queue->ring, true, left);
		n += take_done(queue, out + n, max - n);
	}
	n += take_done(queue, out + n, max - n);
	return n || ret >= 0 ? (int)n : ret;
}

int bd_queue_submit_and_reap(struct bd_queue *queue, struct bdio_completion *out, unsigned int max,
			     unsigned int min, int64_t timeout_ns)
{
	int n, err;

	plan_prepared(queue);
	n = bd_queue_reap(queue, out, max, min, timeout_ns);
	/* When enough was there already, nothing has entered the kernel yet. */
	err = bd_ring_start(queue->ring);
	return n || !err ? n : err;
}

int bd_queue_register(struct bd_queue *queue, const struct iovec *buffers, unsigned int n)
{
	struct iovec *copy = NULL;
	int err;

	if (queue->in_flight || !STAILQ_EMPTY(&queue->prepared))
		return BD_FAIL(-EBUSY, QUEUE_BUSY, "requests are in flight");
	if (n && bd_ring_kind(queue->ring) != BD_RING_URING)
		return BD_FAIL(-EOPNOTSUPP, QUEUE_NO_REGISTER,
			       "blocking calls take no registered buffers");
	if (n) {
		copy = bd_calloc(n, sizeof(*copy));
		if (!copy)
			return BD_FAIL(-ENOMEM, QUEUE_BUFFERS, "no memory for %u buffers", n);
		memcpy(copy, buffers, n * sizeof(*copy));
	}
	err = bd_ring_register_buffers(queue->ring, buffers, n);
	if (err) {
		free(copy);
		return BD_FAIL(err, QUEUE_REGISTER, "the kernel does not register the buffers");
	}
	free(queue->buffers);
	queue->buffers = copy;
	queue->num_buffers = n;
	return 0;
}
