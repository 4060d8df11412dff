/* SPDX-License-Identifier: MIT */
/* ops/extract.c - an extraction from start to end: destination, reports, result */
#include "ops/extract_priv.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/math.h"
#include "base/mem.h"

#define TICK_MS	  100u
#define MAX_TRIES 8u

/* --- reports ------------------------------------------------------------------------------- */

/* Prepend to the path, which ends at @at. */
static size_t prepend(char *path, size_t at, const char *name)
{
	size_t len = strlen(name);

	memcpy(path + at - len, name, len);
	return at - len;
}

/* The path below the destination. Under report_lock. */
static const char *path_of(struct bd_extract *x, const struct bd_xdir *dir, const char *name)
{
	size_t len = name ? strlen(name) + 1 : 0, at;

	if (!name && !dir->parent)
		return ".";
	for (const struct bd_xdir *d = dir; d->parent; d = d->parent)
		len += strlen(d->name) + 1;
	if (bd_array_grow((void **)&x->path, &x->path_cap, len, 1))
		return name ? name : dir->name;
	at = len - 1;
	x->path[at] = 0;
	if (name)
		at = prepend(x->path, at, name);
	for (const struct bd_xdir *d = dir; d->parent; d = d->parent) {
		if (x->path[at])
			x->path[--at] = '/';
		at = prepend(x->path, at, d->name);
	}
	return x->path;
}

void bd_extract_stop(struct bd_extract *x)
{
	bd_lock(&x->pool.lock);
	if (!x->code) {
		x->error = *bd_err_self();
		x->code = x->error.code;
	}
	bd_unlock(&x->pool.lock);
	atomic_store(&x->stopped, true);
}

static void lose(struct bd_extract *x, const struct bd_xdir *dir, const char *name, bool stop)
{
	struct bdio_error error = *bd_err_self(); /* the callback may call the library */

	bd_count(&x->errors, 1);
	if (x->opts->lost) {
		bd_lock(&x->report_lock);
		x->opts->lost(x->opts->priv, path_of(x, dir, name), &error);
		bd_unlock(&x->report_lock);
	}
	if (stop || x->opts->on_error == BDIO_ON_ERROR_STOP) {
		*bd_err_self() = error;
		bd_extract_stop(x);
	}
}

void bd_extract_lost(struct bd_extract *x, const struct bd_xdir *dir, const char *name)
{
	/* Without memory nothing is known to be lost, and nothing else would go better. */
	lose(x, dir, name, bd_err_self()->code == -ENOMEM);
}

void bd_extract_refused(struct bd_extract *x, const struct bd_xdir *dir, const char *name)
{
	switch (-bd_err_self()->code) {
	case ENOSPC:
	case EDQUOT:
	case EROFS:
	case EIO:
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		lose(x, dir, name, true);
		return;
	default:
		lose(x, dir, name, false);
	}
}

static void get_progress(const struct bd_extract *x, struct bdio_extract_progress *out)
{
	*out = (struct bdio_extract_progress){
		.files = bd_counted(&x->files),
		.dirs = bd_counted(&x->dirs),
		.others = bd_counted(&x->others),
		.bytes = bd_counted(&x->bytes),
		.errors = bd_counted(&x->errors),
	};
}

static void tell_progress(struct bd_extract *x)
{
	struct bdio_extract_progress now;
	int ret;

	if (!x->opts->progress)
		return;
	get_progress(x, &now);
	bd_lock(&x->report_lock);
	ret = x->opts->progress(x->opts->priv, &now);
	bd_unlock(&x->report_lock);
	if (!ret)
		return;
	BD_FAIL(-ECANCELED, EXTRACT_CANCELED, "canceled by the caller");
	bd_extract_stop(x);
}

void bd_extract_tick(struct bd_extract *x)
{
	struct timespec ts;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	now = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
	if (now < x->next_tick || bd_extract_stopped(x))
		return;
	/* The first call only starts the clock. */
	if (x->next_tick)
		tell_progress(x);
	x->next_tick = now + TICK_MS;
}

int bd_extract_make_room(const struct bd_xdir *dir, const char *name, unsigned int *tries)
{
	int err = errno;

	/* Entries of the image with one name may race for it: some more tries, not for ever. */
	if (err != EEXIST || ++*tries == MAX_TRIES)
		return -err;
	if (unlinkat(dir->fd, name, 0) && errno != ENOENT)
		return -errno;
	return 0;
}

/* --- the destination ----------------------------------------------------------------------- */

/* The directory @path, which the caller named: links in it are followed. */
static int open_top(struct bd_extract *x, const char *path, const struct bdio_stat *st)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return BD_HOST_FAIL(errno, EXTRACT_OPEN, "open the destination");
	x->top = bd_xdir_new(NULL, "", st, fd);
	if (!x->top)
		return bd_err_self()->code;
	return 0;
}

static int extract_dir(struct bd_extract *x, const char *dest, const struct bdio_stat *st)
{
	int err;

	if (mkdir(dest, 0700) && errno != EEXIST)
		return BD_HOST_FAIL(errno, EXTRACT_MKDIR, "create the destination");
	err = open_top(x, dest, st);
	if (err)
		return err;
	bd_count(&x->dirs, 1);
	if (!bd_is_stub(st->ino)) {
		bd_extract_first_visit(x, st->ino, x->top, NULL);
		err = bd_dir_open(x->fs, st->ino, &x->top->cursor);
		if (err) {
			bd_extract_lost(x, x->top, NULL);
			return 0;
		}
	}
	bd_extract_walk(x);
	return 0;
}

/* A file becomes @dest, or @dest/@name when @dest is a directory. */
static int extract_file(struct bd_extract *x, const char *dest, const char *name,
			const struct bdio_stat *st)
{
	const char *slash = strrchr(dest, '/');
	const char *last = slash ? slash + 1 : dest;
	char *folder = NULL;
	struct stat host;
	int err;

	if (stat(dest, &host) == 0 && S_ISDIR(host.st_mode)) {
		if (!name)
			return BD_FAIL(-EISDIR, EXTRACT_ISDIR, "the destination is a directory");
		err = open_top(x, dest, st);
	} else if (!bd_name_is_sound(last, strlen(last))) {
		return BD_FAIL(-ENOTDIR, EXTRACT_NOTDIR, "the destination is not a directory");
	} else {
		name = last;
		folder = last == dest ? strdup(".") : strndup(dest, (size_t)(last - dest));
		err = folder ? open_top(x, folder, st)
			     : BD_FAIL(-ENOMEM, EXTRACT_FOLDER, "no memory for a path");
		free(folder);
	}
	if (!err)
		bd_extract_leaf(x, x->top, name, st);
	return err;
}

/* --- start and end ------------------------------------------------------------------------- */

static uint64_t room_of(const struct bd_lspace *ls)
{
	uint64_t room = 0;

	for (size_t i = 0; i < ls->num_members; i++) {
		const struct bd_member *member = ls->members[i];
		uint64_t size = member->dev ? member->dev->size : member->total_bytes;

		room += bd_min_u64(size, UINT64_MAX - room);
	}
	return room;
}

static int extract_init(struct bd_extract *x, struct bdio_fs *fs,
			const struct bdio_extract_opts *opts)
{
	int err = bd_xpool_init(&x->pool, opts->threads);

	if (err)
		return err;
	pthread_mutex_init(&x->report_lock, NULL);
	x->fs = fs;
	x->opts = opts;
	x->read_ahead = bd_xreader_ahead(fs);
	x->room = room_of(&fs->vol.ls);
	x->is_root = geteuid() == 0;
	x->set_owner = x->is_root && !(opts->flags & BDIO_EXTRACT_NO_OWNER);
	RB_INIT(&x->links);
	RB_INIT(&x->seen);
	return 0;
}

static void extract_fini(struct bd_extract *x)
{
	bd_extract_forget_visits(x);
	pthread_mutex_destroy(&x->report_lock);
	bd_xpool_fini(&x->pool);
	free(x->path);
}

/* All is queued: wait for the rest. The destination itself gets its attributes last. */
static void finish(struct bd_extract *x, bool is_dir)
{
	bd_xpool_finish(x);
	bd_xlinks_fini(x);
	x->top->left = is_dir;
	bd_xdir_leave(x, x->top);
	bd_xdir_put(x->top);
	if (!bd_extract_stopped(x))
		tell_progress(x);
}

static int extract(struct bd_extract *x, struct bdio_ino ino, const char *dest, const char *name)
{
	struct bdio_stat st;
	int err = bd_stat(x->fs, ino, &st);

	if (err)
		return err;
	if (S_ISDIR(st.mode))
		err = extract_dir(x, dest, &st);
	else
		err = extract_file(x, dest, name, &st);
	if (err)
		return err;
	finish(x, S_ISDIR(st.mode));
	if (x->code)
		*bd_err_self() = x->error;
	return x->code;
}

int bd_extract(struct bdio_fs *fs, struct bdio_ino ino, const char *dest, const char *name,
	       const struct bdio_extract_opts *opts, struct bdio_extract_progress *result)
{
	struct bd_extract *x = bd_zalloc(sizeof(*x));
	int err;

	if (!x)
		return BD_FAIL(-ENOMEM, EXTRACT_NEW, "no memory for an extraction");
	err = extract_init(x, fs, opts);
	if (!err) {
		err = extract(x, ino, dest, name);
		get_progress(x, result);
		extract_fini(x);
	}
	free(x);
	return err ? err : result->errors != 0;
}
