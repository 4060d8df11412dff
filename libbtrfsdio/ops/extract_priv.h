/* SPDX-License-Identifier: MIT */
/*
 * ops/extract_priv.h - inside an extraction
 *
 * The calling thread walks the tree of the image: it makes directories, symlinks and special
 * files itself and queues regular files for the workers. It alone makes names that can lead
 * elsewhere, and nothing ever follows them: each name is made in an open directory.
 *
 * A directory gets its own attributes when nothing more will be made in it: when the walk has
 * left it and the last of its files is done. Then it is not written to any more.
 */
#ifndef BD_OPS_EXTRACT_PRIV_H
#define BD_OPS_EXTRACT_PRIV_H

#include <bsd/sys/tree.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "ops/extract.h"

/* Bytes of a file that are read, verified and written at a time. */
#define BD_EXTRACT_BUFFER (1u << 20)
/* So many files, if they are small, are read at once. */
#define BD_EXTRACT_BATCH 16u
#define BD_EXTRACT_SMALL (64u << 10)
/* Files that wait or are being written; each may keep the directory that it is in open. */
#define BD_EXTRACT_PENDING 128u

/* Not RB_GENERATE_STATIC: it needs BSD's __unused. */
#define BD_RB_GENERATE(name, type, field, cmp) \
	RB_GENERATE_INTERNAL(name, type, field, cmp, __attribute__((unused)) static)

static inline int bd_ino_cmp(struct bdio_ino a, struct bdio_ino b)
{
	if (a.subvol != b.subvol)
		return a.subvol < b.subvol ? -1 : 1;
	return a.inode < b.inode ? -1 : a.inode > b.inode;
}

/* A directory of the destination. */
struct bd_xdir {
	struct bd_xdir *parent;	 /* holds a reference; NULL: the destination itself */
	struct bdio_stat st;	 /* what it becomes */
	struct bdio_dir *cursor; /* of the walk */
	dev_t host_dev;
	ino_t host_ino;
	unsigned int depth;
	bool default_acl; /* the host gives what is made in it an ACL that the image has not */
	_Atomic unsigned int refs;
	/* under the pool's lock */
	unsigned int users; /* of fd; it is closed when there is none */
	int fd;
	bool left; /* by the walk, for good: the last user sets the attributes */
	bool finished;
	char name[];
};

enum bd_xlink_state { BD_XLINK_PENDING, BD_XLINK_DONE, BD_XLINK_FAILED };

/* A file with several names: where the first one was made. */
struct bd_xlink {
	RB_ENTRY(bd_xlink) node;
	struct bdio_ino ino;
	struct bd_xdir *dir; /* holds a reference */
	char name[BD_NAME_MAX + 1];
	uint32_t left; /* names still to come, as the inode says */
	/* under the pool's lock */
	enum bd_xlink_state state;
	dev_t host_dev;
	ino_t host_ino;
};
RB_HEAD(bd_xlinks, bd_xlink);

/* A directory of the image that was entered. */
struct bd_xseen {
	RB_ENTRY(bd_xseen) node;
	struct bdio_ino ino;
};
RB_HEAD(bd_xseen_set, bd_xseen);

/* A regular file to be written. */
struct bd_xjob {
	struct bd_xdir *dir;   /* holds a reference and its descriptor */
	struct bd_xlink *link; /* NULL: it has one name */
	struct bdio_stat st;
	char name[BD_NAME_MAX + 1];
};

struct bd_xslot {
	struct bd_xjob job;
	struct bdio_file *file; /* NULL: not open yet */
	const uint8_t *data;	/* all of the file, when it was read ahead */
};

struct bd_xworker {
	struct bd_extract *x;
	pthread_t thread;
	struct bd_reader plain;
	struct bd_reader ahead; /* only with x->read_ahead */
	uint8_t *buf;		/* BD_EXTRACT_BUFFER bytes, then the data of the slots */
	struct bd_xslot slots[BD_EXTRACT_BATCH];
};

struct bd_xpool {
	pthread_mutex_t lock;
	pthread_cond_t work; /* for workers: there is a job, or no more will come */
	pthread_cond_t
		news; /* for the calling thread: pending fell to wake_at, or a link settled */
	struct bd_xjob jobs[BD_EXTRACT_PENDING]; /* a ring; first is the oldest */
	unsigned int first, queued;
	unsigned int pending; /* queued and running */
	unsigned int wake_at;
	unsigned int idle, num_workers, max_workers;
	bool closed;
	struct bd_xworker workers[BD_EXTRACT_MAX_THREADS];
};

struct bd_extract {
	struct bdio_fs *fs;
	const struct bdio_extract_opts *opts;
	bool is_root;
	bool set_owner;
	bool read_ahead;     /* reads wait for a device: keep it busy */
	uint64_t room;	     /* bytes of all devices */
	struct bd_xdir *top; /* the destination; its descriptor stays open */
	bd_counter files, dirs, others, bytes, errors;
	/* of the calling thread */
	struct bd_xlinks links;
	struct bd_xdir *link_dir; /* kept open: the last that a link came from */
	struct bd_xseen_set seen;
	uint64_t next_tick; /* ms */

	pthread_mutex_t report_lock; /* one callback at a time */
	char *path;		     /* under report_lock */
	size_t path_cap;

	_Atomic bool stopped;
	int code; /* why; under the pool's lock */
	struct bdio_error error;
	struct bd_xpool pool;
};

/* Something that gets attributes. */
struct bd_xnode {
	struct bd_xdir *dir; /* that it is in */
	const char *name;    /* NULL: dir itself */
	int fd;		     /* -1: known by its name: symlinks and special files */
	const struct bdio_stat *st;
};

/* The host said errno @err when it was asked to do @what. */
#define BD_HOST_FAIL(err, where, what) \
	BD_FAIL(-(err), where, "cannot %s: %s", what, strerrordesc_np(err) ?: "unknown error")

/* extract.c */
static inline bool bd_extract_stopped(struct bd_extract *x)
{
	return atomic_load_explicit(&x->stopped, memory_order_relaxed);
}
/*
 * Something was lost, and the thread's error record says why: tell the caller. @name in @dir;
 * NULL: @dir itself. Stops everything when the caller wants that.
 */
void bd_extract_lost(struct bd_extract *x, const struct bd_xdir *dir, const char *name);
/* The same when the host refused: stops also when it would refuse everything that follows. */
void bd_extract_refused(struct bd_extract *x, const struct bd_xdir *dir, const char *name);
/* Stop with the error of the thread's record. */
void bd_extract_stop(struct bd_extract *x);
/* On the calling thread: tell progress when it is time to. */
void bd_extract_tick(struct bd_extract *x);
/*
 * Making a name failed with errno; if because it is taken, remove what has it. *tries: 0 before
 * the first. Return: 0: try again; -errno: in vain. A directory is never removed.
 */
int bd_extract_make_room(const struct bd_xdir *dir, const char *name, unsigned int *tries);

/* extract_walk.c */
/* Extract all below x->top, a directory whose cursor is open. */
void bd_extract_walk(struct bd_extract *x);
/* Extract anything but a directory as @name in @dir. */
void bd_extract_leaf(struct bd_extract *x, struct bd_xdir *dir, const char *name,
		     const struct bdio_stat *st);
/* False: it was entered before, or there is no memory; both are reported. */
bool bd_extract_first_visit(struct bd_extract *x, struct bdio_ino ino, const struct bd_xdir *dir,
			    const char *name);
void bd_extract_forget_visits(struct bd_extract *x);

/* extract_dir.c */
/*
 * A new handle that owns @fd, with one reference and one user, the caller.
 * Return: NULL: reported, @fd is closed.
 */
struct bd_xdir *bd_xdir_new(struct bd_xdir *parent, const char *name, const struct bdio_stat *st,
			    int fd);
/* Make a directory, or open the one that is there. Return: NULL: reported as lost. */
struct bd_xdir *bd_xdir_make(struct bd_extract *x, struct bd_xdir *parent, const char *name,
			     const struct bdio_stat *st);
void bd_xdir_get(struct bd_xdir *dir);
void bd_xdir_put(struct bd_xdir *dir);
/* One more user of a descriptor that is open. */
void bd_xdir_use(struct bd_extract *x, struct bd_xdir *dir);
/* One user less; the last one sets the attributes when the walk is done with it. */
void bd_xdir_leave(struct bd_extract *x, struct bd_xdir *dir);
/*
 * Become a user of a directory that may be closed; calling thread only. @below: an open
 * directory right below, or NULL. Return: 0; -errno (reported).
 */
int bd_xdir_reopen(struct bd_extract *x, struct bd_xdir *dir, const struct bd_xdir *below);
/* The walk is done with it; gives up its use and its reference. */
void bd_xdir_done(struct bd_extract *x, struct bd_xdir *dir);

/* extract_pool.c */
int bd_xpool_init(struct bd_xpool *pool, unsigned int max_workers);
/* Queue a file; waits for room. The job gets a use and a reference of its directory. */
void bd_xpool_push(struct bd_extract *x, const struct bd_xjob *job);
/* Wait until all is done, end the workers. */
void bd_xpool_finish(struct bd_extract *x);
void bd_xpool_fini(struct bd_xpool *pool);
/* Wait until a link is settled. */
void bd_xpool_await_link(struct bd_extract *x, const struct bd_xlink *link);

/* extract_file.c */
void bd_extract_file(struct bd_xworker *worker, struct bd_xslot *slot);

/* extract_read.c */
/* Does it pay to have more than one read in flight per worker? */
bool bd_xreader_ahead(const struct bdio_fs *fs);
/* Return: 0; -errno (reported). */
int bd_xreader_init(struct bd_xworker *worker);
void bd_xreader_fini(struct bd_xworker *worker);
/* As bd_file_read(); [@offset, +@len) lies inside the file. */
ssize_t bd_xreader_read(struct bd_xworker *worker, struct bdio_file *file, void *buf, size_t len,
			uint64_t offset);
/* Open and read the files of the first @n slots, all small. */
void bd_xreader_read_ahead(struct bd_xworker *worker, unsigned int n);

/* extract_attr.c */
/* Owner, extended attributes, mode, times: each that the host refuses is reported. */
void bd_extract_attrs(struct bd_extract *x, const struct bd_xnode *node);

/* extract_link.c */
/*
 * A name of an inode that has several. Return: true: a link was made, all is done; false:
 * extract it, and settle *link, which stays NULL when no link will be made to it.
 */
bool bd_xlink_made(struct bd_extract *x, struct bd_xdir *dir, const char *name,
		   const struct bdio_stat *st, struct bd_xlink **link);
/* The first name was made, @host says as what; NULL: it was not. @link NULL is fine. */
void bd_xlink_settle(struct bd_extract *x, struct bd_xlink *link, const struct stat *host);
/* All links are made. */
void bd_xlinks_fini(struct bd_extract *x);

#endif
