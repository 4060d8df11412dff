/* SPDX-License-Identifier: MIT */
/* dio/reader.c - a reader's life, and blocking reads */
#include "dio/piece.h"

#include "base/err.h"
#include "base/mem.h"

void bd_reader_init(struct bd_reader *rd, struct bd_inodes *inodes, struct bd_ring *ring,
		    struct bd_read_counters *counters)
{
	*rd = (struct bd_reader){.inodes = inodes, .ring = ring, .counters = counters};
	STAILQ_INIT(&rd->free_pieces);
}

void bd_reader_fini(struct bd_reader *rd)
{
	while (!STAILQ_EMPTY(&rd->free_pieces)) {
		struct bd_read_piece *piece = STAILQ_FIRST(&rd->free_pieces);

		STAILQ_REMOVE_HEAD(&rd->free_pieces, link);
		free(piece);
	}
	bd_hints_drop(&rd->hints);
	bd_codec_ctx_free(rd->codec);
}

struct bd_pooled_reader {
	struct bd_reader reader;
	SLIST_ENTRY(bd_pooled_reader) link;
};

void bd_reader_pool_init(struct bd_reader_pool *pool, struct bd_inodes *inodes)
{
	pool->inodes = inodes;
	pthread_mutex_init(&pool->lock, NULL);
	SLIST_INIT(&pool->free);
}

static void free_reader(struct bd_reader_pool *pool, struct bd_pooled_reader *pr)
{
	bd_reader_fini(&pr->reader);
	bd_lspace_ring_free(&pool->inodes->vol->ls, pr->reader.ring);
	free(pr);
}

void bd_reader_pool_fini(struct bd_reader_pool *pool)
{
	while (!SLIST_EMPTY(&pool->free)) {
		struct bd_pooled_reader *pr = SLIST_FIRST(&pool->free);

		SLIST_REMOVE_HEAD(&pool->free, link);
		free_reader(pool, pr);
	}
	pthread_mutex_destroy(&pool->lock);
}

uint64_t bd_reader_pool_syscalls(struct bd_reader_pool *pool)
{
	struct bd_pooled_reader *pr;
	uint64_t sum = 0;

	bd_lock(&pool->lock);
	SLIST_FOREACH(pr, &pool->free, link)
		sum += bd_counted(&bd_ring_stats(pr->reader.ring)->syscalls);
	bd_unlock(&pool->lock);
	return sum;
}

static struct bd_pooled_reader *get_reader(struct bd_reader_pool *pool)
{
	struct bd_pooled_reader *pr;
	struct bd_ring *ring;

	bd_lock(&pool->lock);
	pr = SLIST_FIRST(&pool->free);
	if (pr)
		SLIST_REMOVE_HEAD(&pool->free, link);
	bd_unlock(&pool->lock);
	if (pr)
		return pr;
	pr = malloc(sizeof(*pr));
	if (!pr || bd_lspace_ring_new(&pool->inodes->vol->ls, &ring)) {
		free(pr);
		return NULL;
	}
	bd_reader_init(&pr->reader, pool->inodes, ring, &pool->counters);
	return pr;
}

static void put_reader(struct bd_reader_pool *pool, struct bd_pooled_reader *pr)
{
	bd_lock(&pool->lock);
	SLIST_INSERT_HEAD(&pool->free, pr, link);
	bd_unlock(&pool->lock);
}

static void sync_done(struct bd_read *read)
{
	*(bool *)read->priv = true;
}

ssize_t bd_read_sync(struct bd_reader_pool *pool, const struct bd_inode *inode, void *buf,
		     size_t len, uint64_t offset, unsigned int flags)
{
	struct bd_pooled_reader *pr = get_reader(pool);
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	bool done = false;
	struct bd_read read = {
		.inode = inode,
		.iov = &iov,
		.iovcnt = 1,
		.buf_index = -1,
		.offset = offset,
		.len = len,
		.flags = flags,
		.done = sync_done,
		.priv = &done,
	};

	if (!pr)
		return BD_FAIL(-ENOMEM, READER_NEW, "no memory for a read");
	bd_read_start(&pr->reader, &read);
	while (!done)
		bd_ring_drive(pr->reader.ring, true, 0);
	put_reader(pool, pr);
	if (read.error) {
		*bd_err_self() = *read.error;
		free(read.error);
	}
	return read.result;
}
