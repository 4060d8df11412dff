/* SPDX-License-Identifier: MIT */
/* tools/bench.h - a job of reads, run on an engine, measured */
#ifndef BTRFSDIO_TOOLS_BENCH_H
#define BTRFSDIO_TOOLS_BENCH_H

#include <stdbool.h>
#include "bench_hist.h"
#include "btrfsdio/btrfsdio.h"

struct bench_job {
	bool random;
	size_t block;	    /* bytes of one read */
	unsigned int depth; /* reads in flight, of each thread */
	unsigned int batch; /* wait for so many before new ones are submitted together */
	unsigned int threads;
	uint64_t runtime_ns; /* 0: every block once */
	uint64_t size;	     /* bytes of the file, from its start */
};

struct bench_done {
	uint64_t slot;
	ssize_t result; /* bytes or -errno */
};

/*
 * What the reads go through. All functions are called by the thread of one
 * job, with an @io of its own; they return -errno, after reporting, when they fail.
 */
struct bench_engine {
	const char *name;
	/* @buffers: job->depth blocks, that of slot 0 first; @out: goes to the others as @io */
	int (*start)(void *target, const struct bench_job *job, void *buffers, void **out);
	int (*prepare)(void *io, unsigned int slot, uint64_t offset);
	/* Submit what is prepared, wait for @min completions, return up to @max. */
	int (*reap)(void *io, struct bench_done *done, unsigned int max, unsigned int min);
	void (*stop)(void *io);
};

/* Reads of a file in an image: the library. */
struct bench_library {
	struct bdio_fs *fs;
	struct bdio_file *file;
};
extern const struct bench_engine bench_library_engine; /* target: struct bench_library */

/* Reads of a descriptor through a plain ring: what the library is compared with. */
extern const struct bench_engine bench_uring_engine; /* target: int, opened O_DIRECT */

struct bench_result {
	uint64_t ios, bytes;
	uint64_t elapsed_ns;	     /* from the start to the last completion of any thread */
	double user_cpu, system_cpu; /* seconds */
	uint64_t context_switches;
	struct bench_hist latency; /* submit to completion, ns */
};

/* Return: 0; -errno, reported: then @out is not written. */
int bench_run(const struct bench_engine *engine, void *target, const struct bench_job *job,
	      struct bench_result *out);

#endif
