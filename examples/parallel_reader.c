/* SPDX-License-Identifier: MIT */
/*
 * examples/parallel_reader.c - read one file with a queue per thread:
 * parallel_reader IMAGE PATH [THREADS]
 *
 * Each thread reads its own part of the file, many requests in flight, and adds its bytes up; the
 * sum over the whole file is printed.
 */
#include <btrfsdio/btrfsdio.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 64
#define DEPTH	    32
#define BLOCK	    (128u << 10)

struct reader {
	pthread_t thread;
	struct bdio_fs *fs;
	struct bdio_file *file;
	struct bdio_queue *queue;
	uint8_t *buffers;   /* DEPTH blocks */
	uint64_t next, end; /* of this thread's part */
	unsigned int in_flight;
	uint64_t bytes, sum;
	int err;
};

/* A request's cookie is the number of its buffer. */
static int prepare(struct reader *reader, uint64_t slot)
{
	uint64_t left = reader->end - reader->next;
	size_t len = left < BLOCK ? (size_t)left : BLOCK;

	int err = bdio_queue_read(reader->queue, reader->file, reader->buffers + slot * BLOCK, len,
				  reader->next, 0, slot);
	reader->next += len;
	reader->in_flight += !err;
	return err;
}

static void take(struct reader *reader, const struct bdio_completion *done)
{
	const uint8_t *buf = reader->buffers + done->user_data * BLOCK;

	reader->in_flight--;
	if (done->error) {
		fprintf(stderr, "%s\n", done->error->message);
		reader->err = done->error->code;
		return;
	}
	for (ssize_t i = 0; i < done->result; i++)
		reader->sum += buf[i];
	reader->bytes += (uint64_t)done->result;
	if (reader->next < reader->end && !reader->err)
		reader->err = prepare(reader, done->user_data);
}

static void read_part(struct reader *reader)
{
	struct bdio_completion done[DEPTH];

	for (uint64_t slot = 0; slot < DEPTH && reader->next < reader->end && !reader->err; slot++)
		reader->err = prepare(reader, slot);
	while (reader->in_flight > 0) {
		/* Everything that was prepared starts together, in one system call. */
		int count = bdio_queue_submit(reader->queue);
		if (count >= 0)
			count = bdio_queue_wait(reader->queue, done, DEPTH, 1, -1);
		if (count < 0) {
			reader->err = count;
			return;
		}
		for (int i = 0; i < count; i++)
			take(reader, &done[i]);
	}
}

static void *reader_main(void *arg)
{
	struct reader *reader = arg;
	const struct bdio_queue_opts opts = {
		.size = sizeof(opts), .flags = BDIO_QUEUE_SINGLE_ISSUER, .depth = DEPTH};

	reader->err = bdio_queue_create(reader->fs, &opts, &reader->queue);
	if (reader->err)
		return NULL;
	const struct iovec buffers = {reader->buffers, DEPTH * BLOCK};
	/* Only makes it faster: where it is refused, all else works. */
	bdio_queue_register(reader->queue, &buffers, 1);
	read_part(reader);
	bdio_queue_destroy(reader->queue);
	return NULL;
}

/* Part @number of @threads equal ones, whole blocks but for the end. */
static int start(struct reader *reader, unsigned int number, unsigned int threads)
{
	uint64_t size = bdio_file_size(reader->file);
	uint64_t part = (size / threads / BLOCK + 1) * BLOCK;

	reader->next = part * number < size ? part * number : size;
	reader->end = size - reader->next < part ? size : reader->next + part;
	reader->buffers = aligned_alloc(4096, (size_t)DEPTH * BLOCK);
	if (!reader->buffers)
		return -ENOMEM;
	return -pthread_create(&reader->thread, NULL, reader_main, reader);
}

static int read_file(struct bdio_fs *fs, struct bdio_file *file, unsigned int threads)
{
	static struct reader readers[MAX_THREADS];
	uint64_t bytes = 0, sum = 0;
	unsigned int started = 0;
	int err = 0;

	while (!err && started < threads) {
		readers[started] = (struct reader){.fs = fs, .file = file};
		err = start(&readers[started], started, threads);
		started += !err;
	}
	for (unsigned int i = 0; i < started; i++) {
		pthread_join(readers[i].thread, NULL);
		err = readers[i].err ? readers[i].err : err;
		bytes += readers[i].bytes;
		sum += readers[i].sum;
		free(readers[i].buffers);
	}
	printf("%" PRIu64 " bytes, sum %" PRIu64 "\n", bytes, sum);
	return err;
}

int main(int argc, char **argv)
{
	struct bdio_ino root = {.subvol = BDIO_SUBVOL_TOP, .inode = BDIO_INODE_ROOT}, ino;
	struct bdio_fs *fs = NULL;
	struct bdio_file *file = NULL;
	int threads = argc > 3 ? atoi(argv[3]) : 2;

	if (argc < 3 || threads < 1 || threads > MAX_THREADS) {
		fprintf(stderr, "usage: %s IMAGE PATH [THREADS]\n", argv[0]);
		return 2;
	}
	const char *const paths[] = {argv[1]};
	int err = bdio_open(paths, 1, NULL, &fs);
	if (!err)
		err = bdio_lookup(fs, root, argv[2], strlen(argv[2]), BDIO_LOOKUP_FOLLOW, &ino);
	if (!err)
		err = bdio_file_open(fs, ino, &file);
	if (err)
		fprintf(stderr, "%s\n", bdio_error_get()->message);
	else
		err = read_file(fs, file, (unsigned int)threads);
	bdio_file_close(file);
	bdio_close(fs);
	return err != 0;
}
