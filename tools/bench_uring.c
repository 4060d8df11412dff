/* SPDX-License-Identifier: MIT */
/* tools/bench_uring.c - bench engine: a plain ring, with everything that makes it fast */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "report.h"

struct uring_io {
	struct io_uring ring;
	bool fixed; /* the buffers are registered */
	uint8_t *buffers;
	size_t block;
};

static int setup_ring(struct io_uring *ring, unsigned int depth)
{
	struct io_uring_params fast = {.flags = IORING_SETUP_SINGLE_ISSUER |
						IORING_SETUP_DEFER_TASKRUN};

	int err = io_uring_queue_init_params(depth, ring, &fast);
	return err == -EINVAL ? io_uring_queue_init(depth, ring, 0) : err;
}

static int uring_start(void *target, const struct bench_job *job, void *buffers, void **out)
{
	const int *fd = target;
	const struct iovec all = {.iov_base = buffers, .iov_len = job->depth * job->block};
	struct uring_io *io = calloc(1, sizeof(*io));

	if (!io) {
		report_errno(NULL, ENOMEM);
		return -ENOMEM;
	}
	io->buffers = buffers;
	io->block = job->block;
	int err = setup_ring(&io->ring, job->depth);
	if (!err) {
		err = io_uring_register_files(&io->ring, fd, 1);
		if (err)
			io_uring_queue_exit(&io->ring);
	}
	if (err) {
		report_errno("io_uring", -err);
		free(io);
		return err;
	}
	err = io_uring_register_buffers(&io->ring, &all, 1);
	if (err)
		report_warning("buffers are not registered: %s", strerror(-err));
	io->fixed = err == 0;
	*out = io;
	return 0;
}

static int uring_prepare(void *priv, unsigned int slot, uint64_t offset)
{
	struct uring_io *io = priv;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&io->ring);
	uint8_t *buffer = io->buffers + slot * io->block;

	if (!sqe) {
		report_errno("io_uring", EAGAIN);
		return -EAGAIN;
	}
	if (io->fixed)
		io_uring_prep_read_fixed(sqe, 0, buffer, (unsigned int)io->block, offset, 0);
	else
		io_uring_prep_read(sqe, 0, buffer, (unsigned int)io->block, offset);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data64(sqe, slot);
	return 0;
}

static int uring_reap(void *priv, struct bench_done *done, unsigned int max, unsigned int min)
{
	struct uring_io *io = priv;
	struct io_uring_cqe *cqe;
	unsigned int head, count = 0;
	int err;

	do {
		err = io_uring_submit_and_wait(&io->ring, min);
	} while (err == -EINTR);
	if (err < 0) {
		report_errno("io_uring", -err);
		return err;
	}
	io_uring_for_each_cqe(&io->ring, head, cqe) {
		if (count == max)
			break;
		done[count++] = (struct bench_done){io_uring_cqe_get_data64(cqe), cqe->res};
	}
	io_uring_cq_advance(&io->ring, count);
	return (int)count;
}

static void uring_stop(void *priv)
{
	struct uring_io *io = priv;

	io_uring_queue_exit(&io->ring);
	free(io);
}

const struct bench_engine bench_uring_engine = {
	.name = "io_uring",
	.start = uring_start,
	.prepare = uring_prepare,
	.reap = uring_reap,
	.stop = uring_stop,
};
