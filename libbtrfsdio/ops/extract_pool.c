/* SPDX-License-Identifier: MIT */
/* ops/extract_pool.c - workers that write regular files, and the queue before them */
#include "ops/extract_priv.h"

#include <time.h>

#include "base/math.h"
#include "base/mem.h"

#define NAP_NS 100000000l /* the calling thread wakes so often to tell its progress */

int bd_xpool_init(struct bd_xpool *pool, unsigned int max_workers)
{
	pthread_condattr_t attr;

	if (pthread_condattr_init(&attr))
		return BD_FAIL(-ENOMEM, XPOOL_INIT, "no memory for threads");
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->news, &attr);
	pthread_condattr_destroy(&attr);
	pthread_cond_init(&pool->work, NULL);
	pthread_mutex_init(&pool->lock, NULL);
	pool->max_workers = max_workers;
	return 0;
}

void bd_xpool_fini(struct bd_xpool *pool)
{
	pthread_cond_destroy(&pool->news);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
}

/* --- workers ------------------------------------------------------------------------------- */

static bool is_small(const struct bd_xjob *job)
{
	return job->st.size <= BD_EXTRACT_SMALL;
}

/* Under the lock. Fills slots. Return: how many; 0: no more will come. */
static unsigned int take_jobs(struct bd_xpool *pool, struct bd_xworker *worker)
{
	unsigned int n = 0, max = 1;
	struct bd_xslot *slot;

	while (!pool->queued && !pool->closed) {
		pool->idle++;
		pthread_cond_wait(&pool->work, &pool->lock);
		pool->idle--;
	}
	/* Some for everybody. */
	if (worker->x->read_ahead)
		max = (unsigned int)bd_min_u64(BD_EXTRACT_BATCH,
					       1 + pool->queued / pool->max_workers);
	while (pool->queued && n < max) {
		if (n && !(is_small(&slot->job) && is_small(&pool->jobs[pool->first])))
			break;
		slot = &worker->slots[n++];
		*slot = (struct bd_xslot){.job = pool->jobs[pool->first]};
		pool->first = (pool->first + 1) % BD_EXTRACT_PENDING;
		pool->queued--;
	}
	return n;
}

static void run_slot(struct bd_xworker *worker, struct bd_xslot *slot)
{
	struct bd_extract *x = worker->x;

	if (bd_extract_stopped(x))
		bd_xlink_settle(x, slot->job.link, NULL);
	else
		bd_extract_file(worker, slot);
	if (slot->file)
		bd_file_close(slot->file);
	bd_xdir_leave(x, slot->job.dir);
	bd_xdir_put(slot->job.dir);
}

static void *work(void *arg)
{
	struct bd_xworker *worker = arg;
	struct bd_xpool *pool = &worker->x->pool;
	unsigned int n;

	bd_lock(&pool->lock);
	while ((n = take_jobs(pool, worker))) {
		bd_unlock(&pool->lock);
		if (n > 1)
			bd_xreader_read_ahead(worker, n);
		for (unsigned int i = 0; i < n; i++)
			run_slot(worker, &worker->slots[i]);
		bd_lock(&pool->lock);
		if (pool->pending > pool->wake_at && pool->pending - n <= pool->wake_at)
			pthread_cond_signal(&pool->news);
		pool->pending -= n;
	}
	bd_unlock(&pool->lock);
	return NULL;
}

/* One more. Under the lock. */
static int start_worker(struct bd_extract *x)
{
	struct bd_xpool *pool = &x->pool;
	struct bd_xworker *worker = &pool->workers[pool->num_workers];
	size_t ahead = x->read_ahead ? BD_EXTRACT_BATCH * BD_EXTRACT_SMALL : 0;
	int err;

	worker->x = x;
	err = bd_xreader_init(worker);
	if (err)
		return err;
	worker->buf = bd_alloc_aligned(BD_MIN_BLOCKSIZE, BD_EXTRACT_BUFFER + ahead);
	if (!worker->buf || pthread_create(&worker->thread, NULL, work, worker)) {
		free(worker->buf);
		bd_xreader_fini(worker);
		return BD_FAIL(-EAGAIN, XPOOL_THREAD, "cannot start a thread");
	}
	pool->num_workers++;
	return 0;
}

/* --- the calling thread -------------------------------------------------------------------- */

/* Wait for news, not long; then tell the progress. Under the lock, but not all the time. */
static void nap(struct bd_extract *x)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += NAP_NS;
	if (until.tv_nsec >= 1000000000l) {
		until.tv_nsec -= 1000000000l;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&x->pool.news, &x->pool.lock, &until);
	bd_unlock(&x->pool.lock);
	bd_extract_tick(x);
	bd_lock(&x->pool.lock);
}

/* Wait until at most @max jobs are pending. Under the lock. */
static void wait_pending(struct bd_extract *x, unsigned int max)
{
	x->pool.wake_at = max;
	while (x->pool.pending > max)
		nap(x);
}

void bd_xpool_push(struct bd_extract *x, const struct bd_xjob *job)
{
	struct bd_xpool *pool = &x->pool;
	int err = 0;

	bd_lock(&pool->lock);
	/* Waking this thread for every file that is done would cost more than its work. */
	if (pool->pending == BD_EXTRACT_PENDING)
		wait_pending(x, BD_EXTRACT_PENDING / 2);
	if (pool->queued >= pool->idle && pool->num_workers < pool->max_workers)
		err = start_worker(x);
	if (err && !pool->num_workers) {
		bd_unlock(&pool->lock);
		bd_extract_stop(x);
		bd_xlink_settle(x, job->link, NULL);
		return;
	}
	bd_xdir_get(job->dir);
	job->dir->users++;
	pool->jobs[(pool->first + pool->queued) % BD_EXTRACT_PENDING] = *job;
	pool->queued++;
	pool->pending++;
	pthread_cond_signal(&pool->work);
	bd_unlock(&pool->lock);
}

void bd_xpool_await_link(struct bd_extract *x, const struct bd_xlink *link)
{
	bd_lock(&x->pool.lock);
	while (link->state == BD_XLINK_PENDING)
		nap(x);
	bd_unlock(&x->pool.lock);
}

void bd_xpool_finish(struct bd_extract *x)
{
	struct bd_xpool *pool = &x->pool;

	bd_lock(&pool->lock);
	wait_pending(x, 0);
	pool->closed = true;
	pthread_cond_broadcast(&pool->work);
	bd_unlock(&pool->lock);
	for (unsigned int i = 0; i < pool->num_workers; i++) {
		pthread_join(pool->workers[i].thread, NULL);
		bd_xreader_fini(&pool->workers[i]);
		free(pool->workers[i].buf);
	}
}
