/* SPDX-License-Identifier: MIT */
/* tools/bench_job.c - runs the threads of a job and measures them */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include "bench.h"
#include "bench_offsets.h"
#include "report.h"

#define BUFFER_ALIGNMENT 4096

/* One thread and its state. */
struct worker {
	const struct bench_engine *engine;
	const struct bench_job *job;
	void *target;
	pthread_t thread;
	pthread_barrier_t *ready; /* every worker has started its engine */
	struct bench_offsets offsets;
	uint64_t left; /* reads to submit when there is no time limit */
	uint64_t begin_ns, end_ns;
	uint64_t ios;
	unsigned int num_free, in_flight;
	unsigned int *free_slots;
	uint64_t *submitted_ns; /* by slot */
	struct bench_done *done;
	void *buffers;
	void *io;
	struct bench_hist latency;
	int err;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool is_over(const struct worker *worker, uint64_t now)
{
	if (worker->err)
		return true;
	if (worker->job->runtime_ns)
		return now - worker->begin_ns >= worker->job->runtime_ns;
	return worker->left == 0;
}

/* Fill every free slot; the wait that follows submits all of it together. */
static int prepare(struct worker *worker)
{
	uint64_t now = now_ns();
	unsigned int prepared = 0;

	while (worker->num_free > 0 && !is_over(worker, now)) {
		unsigned int slot = worker->free_slots[--worker->num_free];
		uint64_t offset = offsets_next(&worker->offsets) * worker->job->block;
		int err = worker->engine->prepare(worker->io, slot, offset);
		if (err)
			return err;
		worker->submitted_ns[slot] = now;
		worker->left--;
		prepared++;
	}
	worker->in_flight += prepared;
	return 0;
}

static void account(struct worker *worker, const struct bench_done *done, uint64_t now)
{
	size_t block = worker->job->block;

	hist_add(&worker->latency, now - worker->submitted_ns[done->slot]);
	worker->free_slots[worker->num_free++] = (unsigned int)done->slot;
	worker->in_flight--;
	worker->ios++;
	if (done->result == (ssize_t)block || worker->err)
		return;
	report(NULL, "a read of %zu bytes returned %zd", block, done->result);
	worker->err = done->result < 0 ? (int)done->result : -EIO;
}

static int reap(struct worker *worker)
{
	const struct bench_job *job = worker->job;
	unsigned int min = job->batch < worker->in_flight ? job->batch : worker->in_flight;

	int count = worker->engine->reap(worker->io, worker->done, job->depth, min);
	uint64_t now = now_ns();
	for (int i = 0; i < count; i++)
		account(worker, &worker->done[i], now);
	return count < 0 ? count : 0;
}

/* After a failed read nothing more is submitted, but what is in flight still owns its buffer. */
static int read_blocks(struct worker *worker)
{
	int err = prepare(worker);

	while (!err && worker->in_flight > 0) {
		err = reap(worker);
		if (!err)
			err = prepare(worker);
	}
	return err ? err : worker->err;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	const struct bench_engine *engine = worker->engine;

	worker->err = engine->start(worker->target, worker->job, worker->buffers, &worker->io);
	pthread_barrier_wait(worker->ready);
	if (worker->err)
		return NULL;
	worker->begin_ns = now_ns();
	worker->err = read_blocks(worker);
	worker->end_ns = now_ns();
	engine->stop(worker->io);
	return NULL;
}

static int worker_init(struct worker *worker, unsigned int number)
{
	const struct bench_job *job = worker->job;

	offsets_init(&worker->offsets, job->random, job->size / job->block, number, job->threads);
	worker->left = worker->offsets.count;
	worker->free_slots = calloc(job->depth, sizeof(*worker->free_slots));
	worker->submitted_ns = calloc(job->depth, sizeof(*worker->submitted_ns));
	worker->done = calloc(job->depth, sizeof(*worker->done));
	if (posix_memalign(&worker->buffers, BUFFER_ALIGNMENT, job->depth * job->block))
		worker->buffers = NULL;
	if (!worker->free_slots || !worker->submitted_ns || !worker->done || !worker->buffers) {
		report_errno(NULL, ENOMEM);
		return -ENOMEM;
	}
	/* Slot 0 is taken first. */
	while (worker->num_free < job->depth) {
		worker->free_slots[worker->num_free] = job->depth - 1 - worker->num_free;
		worker->num_free++;
	}
	return 0;
}

static void worker_fini(struct worker *worker)
{
	free(worker->free_slots);
	free(worker->submitted_ns);
	free(worker->done);
	free(worker->buffers);
}

static double seconds(const struct timeval *from, const struct timeval *to)
{
	return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_usec - from->tv_usec) / 1e6;
}

static int collect(const struct worker *workers, const struct bench_job *job,
		   struct bench_result *out)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (unsigned int i = 0; i < job->threads; i++) {
		const struct worker *worker = &workers[i];
		if (worker->err)
			return worker->err;
		begin = worker->begin_ns < begin ? worker->begin_ns : begin;
		end = worker->end_ns > end ? worker->end_ns : end;
		out->ios += worker->ios;
		hist_merge(&out->latency, &worker->latency);
	}
	out->bytes = out->ios * job->block;
	out->elapsed_ns = end - begin;
	return 0;
}

static int run_workers(struct worker *workers, const struct bench_job *job)
{
	for (unsigned int i = 0; i < job->threads; i++) {
		int errnum = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (errnum) {
			/* Those that run wait at the barrier for this one. */
			report_errno("pthread_create", errnum);
			exit(EXIT_FAILURE);
		}
	}
	int err = 0;
	for (unsigned int i = 0; i < job->threads; i++) {
		pthread_join(workers[i].thread, NULL);
		err = workers[i].err ? workers[i].err : err;
	}
	return err;
}

int bench_run(const struct bench_engine *engine, void *target, const struct bench_job *job,
	      struct bench_result *out)
{
	struct worker *workers = calloc(job->threads, sizeof(*workers));
	pthread_barrier_t ready;
	struct rusage before, after;
	int err = workers ? 0 : -ENOMEM;

	pthread_barrier_init(&ready, NULL, job->threads);
	for (unsigned int i = 0; !err && i < job->threads; i++) {
		workers[i].engine = engine;
		workers[i].target = target;
		workers[i].job = job;
		workers[i].ready = &ready;
		err = worker_init(&workers[i], i);
	}
	getrusage(RUSAGE_SELF, &before);
	if (!err)
		err = run_workers(workers, job);
	getrusage(RUSAGE_SELF, &after);
	if (!err) {
		*out = (struct bench_result){
			.user_cpu = seconds(&before.ru_utime, &after.ru_utime),
			.system_cpu = seconds(&before.ru_stime, &after.ru_stime),
			.context_switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw +
						       after.ru_nivcsw - before.ru_nivcsw)};
		err = collect(workers, job, out);
	}
	for (unsigned int i = 0; workers && i < job->threads; i++)
		worker_fini(&workers[i]);
	pthread_barrier_destroy(&ready);
	free(workers);
	return err;
}
