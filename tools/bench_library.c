/* SPDX-License-Identifier: MIT */
/* tools/bench_library.c - bench engine: a queue of the library */
#include <errno.h>
#include <stdlib.h>
#include "bench.h"
#include "report.h"

struct library_io {
	struct bdio_queue *queue;
	struct bdio_file *file;
	uint8_t *buffers;
	size_t block;
	struct bdio_completion completions[];
};

static void library_stop(void *priv)
{
	struct library_io *io = priv;

	bdio_queue_destroy(io->queue);
	free(io);
}

static int library_start(void *target, const struct bench_job *job, void *buffers, void **out)
{
	struct bench_library *library = target;
	const struct bdio_queue_opts opts = {
		.size = sizeof(opts), .flags = BDIO_QUEUE_SINGLE_ISSUER, .depth = job->depth};
	const struct iovec all = {.iov_base = buffers, .iov_len = job->depth * job->block};
	struct library_io *io =
		calloc(1, sizeof(*io) + job->depth * sizeof(struct bdio_completion));

	if (!io) {
		report_errno(NULL, ENOMEM);
		return -ENOMEM;
	}
	io->file = library->file;
	io->buffers = buffers;
	io->block = job->block;
	int err = bdio_queue_create(library->fs, &opts, &io->queue);
	if (err) {
		report_error("queue", err);
		free(io);
		return err;
	}
	err = bdio_queue_register(io->queue, &all, 1);
	if (err && err != -EOPNOTSUPP)
		report_warning("buffers are not registered: %s", bdio_error_get()->message);
	*out = io;
	return 0;
}

static int library_prepare(void *priv, unsigned int slot, uint64_t offset)
{
	struct library_io *io = priv;

	int err = bdio_queue_read(io->queue, io->file, io->buffers + slot * io->block, io->block,
				  offset, 0, slot);
	if (err)
		report_error("queue", err);
	return err;
}

static int library_reap(void *priv, struct bench_done *done, unsigned int max, unsigned int min)
{
	struct library_io *io = priv;

	int count = bdio_queue_submit_and_wait(io->queue, io->completions, max, min, -1);
	if (count < 0)
		report_error("queue", count);
	for (int i = 0; i < count; i++) {
		const struct bdio_completion *completion = &io->completions[i];
		if (completion->error)
			report_record("read", completion->error);
		done[i] = (struct bench_done){completion->user_data, completion->result};
	}
	return count;
}

const struct bench_engine bench_library_engine = {
	.name = "btrfsdio",
	.start = library_start,
	.prepare = library_prepare,
	.reap = library_reap,
	.stop = library_stop,
};
