/* SPDX-License-Identifier: MIT */
/* tools/cmd_bench.c - measure reads: of a file in an image, or of a plain file or device */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench_report.h"
#include "commands.h"
#include "report.h"
#include "session.h"

enum {
	OPT_RW = OPT_OWN,
	OPT_BS,
	OPT_IODEPTH,
	OPT_BATCH,
	OPT_NUMJOBS,
	OPT_RUNTIME,
	OPT_SIZE,
	OPT_RAW,
};

#define MAX_BLOCK   (1ull << 30)
#define MAX_DEPTH   4096
#define MAX_THREADS 1024
#define MAX_RUNTIME 1000000 /* seconds */

struct bench {
	struct bench_job job;
	bool raw;
};

static const struct argp_option bench_options[] = {
	{"rw", OPT_RW, "read|randread", 0, "In sequence, or at random (default)", 0},
	{"bs", OPT_BS, "BYTES", 0, "Of one read (4K)", 0},
	{"iodepth", OPT_IODEPTH, "N", 0, "Reads in flight, of each job (64)", 0},
	{"batch", OPT_BATCH, "N", 0, "Wait for N before the next are submitted (1)", 0},
	{"numjobs", OPT_NUMJOBS, "N", 0, "Threads that read at the same time (1)", 0},
	{"threads", OPT_NUMJOBS, 0, OPTION_ALIAS, 0, 0},
	{"runtime", OPT_RUNTIME, "SECONDS", 0, "Read for so long (default: every block once)", 0},
	{"size", OPT_SIZE, "BYTES", 0, "Of the file, from its start (all)", 0},
	{"raw", OPT_RAW, 0, 0,
	 "IMAGE is any file or device: read it through a plain io_uring, to compare", 0},
	{0},
};

static error_t parse_bench(int key, char *arg, struct argp_state *state)
{
	static const char *const ways[] = {"read", "randread", NULL};
	struct bench *bench = state->input;
	struct bench_job *job = &bench->job;

	switch (key) {
	case OPT_RW:
		job->random = option_choice(state, "rw", arg, ways) == 1;
		return 0;
	case OPT_BS:
		job->block = option_number(state, "bs", arg, 512, MAX_BLOCK);
		if (job->block % 512)
			argp_error(state, "--bs: not a multiple of 512: %s", arg);
		return 0;
	case OPT_IODEPTH:
		job->depth = (unsigned int)option_number(state, "iodepth", arg, 1, MAX_DEPTH);
		return 0;
	case OPT_BATCH:
		job->batch = (unsigned int)option_number(state, "batch", arg, 1, MAX_DEPTH);
		return 0;
	case OPT_NUMJOBS:
		job->threads = (unsigned int)option_number(state, "numjobs", arg, 1, MAX_THREADS);
		return 0;
	case OPT_RUNTIME:
		job->runtime_ns =
			option_number(state, "runtime", arg, 1, MAX_RUNTIME) * 1000000000u;
		return 0;
	case OPT_SIZE:
		job->size = option_number(state, "size", arg, 1, INT64_MAX);
		return 0;
	case OPT_RAW:
		bench->raw = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The job over a file of @size bytes. Return: whether there is anything to read. */
static bool fit_job(struct bench_job *job, const char *path, uint64_t size)
{
	if (job->size == 0 || job->size > size)
		job->size = size;
	if (job->batch > job->depth)
		job->batch = job->depth;
	uint64_t blocks = job->size / job->block;
	if (blocks < job->threads) {
		report(path, "%llu bytes are less than a block for each job",
		       (unsigned long long)job->size);
		return false;
	}
	return true;
}

/* What happened between two looks; the size of the cache is a state, not a count. */
static void counters_subtract(struct bdio_counters *counters, const struct bdio_counters *before)
{
	counters->syscalls -= before->syscalls;
	counters->device_reads -= before->device_reads;
	counters->device_read_bytes -= before->device_read_bytes;
	counters->user_read_bytes -= before->user_read_bytes;
	counters->copied_bytes -= before->copied_bytes;
	counters->verified_bytes -= before->verified_bytes;
	counters->csum_errors -= before->csum_errors;
	counters->bounces -= before->bounces;
	counters->read_errors -= before->read_errors;
	counters->mirror_reads -= before->mirror_reads;
	counters->parity_rebuilds -= before->parity_rebuilds;
	counters->metadata_errors -= before->metadata_errors;
	counters->node_hits -= before->node_hits;
	counters->node_reads -= before->node_reads;
	counters->tree_searches -= before->tree_searches;
}

static int run_and_print(const struct bench_engine *engine, void *target,
			 const struct bench_job *job, const char *path, bool json,
			 struct bdio_fs *fs)
{
	struct bdio_counters before, after;
	struct bench_result *result = malloc(sizeof(*result));
	struct bench_report report = {.engine = engine, .job = job, .result = result, .path = path};

	if (!result) {
		report_errno(NULL, ENOMEM);
		return EXIT_PROBLEM;
	}
	if (fs)
		bdio_fs_get_counters(fs, &before);
	int err = bench_run(engine, target, job, result);
	if (fs) {
		bdio_fs_get_counters(fs, &after);
		counters_subtract(&after, &before);
		report.counters = &after;
	}
	if (!err && json)
		bench_print_json(&report);
	else if (!err)
		bench_print(&report);
	free(result);
	return err ? EXIT_PROBLEM : EXIT_DONE;
}

static int bench_image(const struct session *session, const struct options *options, void *input)
{
	struct bench *bench = input;
	const char *path = options->args[0];
	struct bench_library target = {.fs = session->fs};
	struct bdio_ino ino;
	int status = EXIT_PROBLEM;

	if (session_lookup(session, path, BDIO_LOOKUP_FOLLOW, &ino))
		return EXIT_PROBLEM;
	int err = bdio_file_open(session->fs, ino, &target.file);
	if (err) {
		report_error(path, err);
		return EXIT_PROBLEM;
	}
	if (fit_job(&bench->job, path, bdio_file_size(target.file)))
		status = run_and_print(&bench_library_engine, &target, &bench->job, path,
				       options->json, session->fs);
	bdio_file_close(target.file);
	return status;
}

static int size_of(int fd, uint64_t *out)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISBLK(st.st_mode))
		return ioctl(fd, BLKGETSIZE64, out) ? -errno : 0;
	*out = (uint64_t)st.st_size;
	return 0;
}

static int bench_raw(const struct options *options, struct bench *bench)
{
	const char *path = options->images[0];
	uint64_t size = 0;
	int status = EXIT_PROBLEM;

	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0) {
		report_errno(path, errno);
		return EXIT_PROBLEM;
	}
	int err = size_of(fd, &size);
	if (err)
		report_errno(path, -err);
	else if (fit_job(&bench->job, path, size))
		status = run_and_print(&bench_uring_engine, &fd, &bench->job, path, options->json,
				       NULL);
	close(fd);
	return status;
}

int cmd_bench(int argc, char **argv)
{
	struct bench bench = {
		.job = {.random = true, .block = 4096, .depth = 64, .batch = 1, .threads = 1}};
	const struct syntax syntax = {
		.args = "IMAGE PATH\n--raw FILE",
		.doc = "Reads a file of an image with many requests in flight, verified, and "
		       "prints how fast that was; with --raw a plain file or a device, by the "
		       "same job.",
		.max_args = 1,
		.json = true,
		.options = bench_options,
		.parse = parse_bench,
		.input = &bench,
	};
	struct options options;
	int status;

	options_parse(&syntax, argc, argv, &options);
	if (bench.raw != (options.num_args == 0)) {
		report("bench", "an IMAGE and a PATH in it, or --raw and a FILE");
		status = EXIT_USAGE;
	} else if (bench.raw) {
		status = bench_raw(&options, &bench);
	} else {
		status = session_work(&options, bench_image, &bench);
	}
	options_free(&options);
	return status;
}
