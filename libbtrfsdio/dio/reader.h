/* SPDX-License-Identifier: MIT */
/*
 * dio/reader.h - the read engine: plan, submit, verify, next copy, complete
 *
 * A read (one range of one file) is cut into pieces, each one device I/O of at most
 * BD_PIECE_SECTORS sectors. A piece goes straight into the caller's buffer when everything is
 * aligned, else through a bounce buffer. When it arrives its checksums are compared; what fails
 * goes through dio/repair.c. Compressed extents are gathered in a buffer of their own first,
 * dio/unzip.c. The last piece to finish completes the read.
 *
 * One reader belongs to one ring and is used by one thread at a time.
 */
#ifndef BD_DIO_READER_H
#define BD_DIO_READER_H

#include <sys/queue.h>
#include <sys/uio.h>

#include "btrfsdio/error.h"
#include "codec/codec.h"
#include "inode/inode.h"

/* Bad sectors of a piece are one 64-bit map; devices take no more at once without punting. */
#define BD_PIECE_SECTORS 64u
#define BD_PIECE_MAX	 (256u << 10)
/* Pieces of one read in flight: bounds the memory of a large read, keeps a fast device busy. */
#define BD_READ_PIECES 32u

struct bd_read_counters {
	bd_counter user_bytes, copied_bytes, verified_bytes, csum_errors, bounces;
};

/*
 * What a reader has looked up last, by a few bits of the address: most reads find their extents and
 * checksums here, without the lock that all readers of the caches share.
 */
#define BD_HINT_SEGS	  16u
#define BD_HINT_SEG_SHIFT 26
#define BD_HINT_WINS	  64u

struct bd_hints {
	struct bd_extent_seg *segs[BD_HINT_SEGS]; /* each holds a reference; NULL: none */
	struct bd_csum_win *wins[BD_HINT_WINS];
};

struct bd_reader {
	struct bd_inodes *inodes;
	struct bd_ring *ring;
	struct bd_read_counters *counters; /* of the filesystem */
	struct bd_codec_ctx *codec;	   /* made when first needed */
	struct bd_hints hints;
	STAILQ_HEAD(, bd_read_piece) free_pieces;
};

void bd_reader_init(struct bd_reader *rd, struct bd_inodes *inodes, struct bd_ring *ring,
		    struct bd_read_counters *counters);
void bd_reader_fini(struct bd_reader *rd);

#define BD_READ_NO_VERIFY     (1u << 0)
#define BD_READ_BUFFER_STABLE (1u << 1)
/* results */
#define BD_READ_UNVERIFIED (1u << 16)
#define BD_READ_REPAIRED   (1u << 17)

/* The caller sets the first group and keeps the struct and the buffers until done() was called. */
struct bd_read {
	const struct bd_inode *inode;
	const struct iovec *iov;
	unsigned int iovcnt;
	int buf_index; /* registered buffer that holds all of a single iov, or -1 */
	uint64_t offset;
	size_t len;	    /* ends at or before the end of the file */
	unsigned int flags; /* BD_READ_*; results are added */
	void (*done)(struct bd_read *read);
	void *priv;

	ssize_t result; /* as of bdio_file_read() */
	/* When a sector was bad; NULL else, and when there was no memory for it; free() it. */
	struct bdio_error *error;

	/* private */
	struct bd_reader *rd;
	uint64_t pos;	 /* planned up to here */
	uint64_t bad_at; /* first bad byte; UINT64_MAX: none */
	int bad_code;
	unsigned int pending; /* pieces and gathers in flight */
	bool planning;
};

/* Plan and queue on the reader's ring; bd_ring_drive() then runs it. done() may run inside. */
void bd_read_start(struct bd_reader *rd, struct bd_read *read);

/* Readers with their rings for blocking calls: a thread takes one for the length of a call. */
struct bd_reader_pool {
	struct bd_inodes *inodes;
	struct bd_read_counters counters;
	pthread_mutex_t lock;
	SLIST_HEAD(, bd_pooled_reader) free;
};

void bd_reader_pool_init(struct bd_reader_pool *pool, struct bd_inodes *inodes);
void bd_reader_pool_fini(struct bd_reader_pool *pool);
/* System calls of the readers that are not in use now. */
uint64_t bd_reader_pool_syscalls(struct bd_reader_pool *pool);

/* Blocking read of any length; result as of bd_read.result, an error is in the thread's record. */
ssize_t bd_read_sync(struct bd_reader_pool *pool, const struct bd_inode *inode, void *buf,
		     size_t len, uint64_t offset, unsigned int flags);

#endif
