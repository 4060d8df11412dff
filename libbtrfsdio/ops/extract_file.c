/* SPDX-License-Identifier: MIT */
/* ops/extract_file.c - one regular file: read, verify, write, go on behind what is lost */
#include "ops/extract_priv.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/math.h"
#include "fs/extents.h"

/* A file on its way. Errors of its functions were reported: the rest is not worth trying. */
struct copy {
	struct bd_extract *x;
	struct bd_xworker *worker;
	const struct bd_xjob *job;
	struct bdio_file *file;
	const uint8_t *ahead; /* all of it, when it was read ahead */
	uint8_t *buf;
	int fd;
	uint64_t size;
	uint64_t end; /* of what was written: behind it there is nothing yet */
	/* lost and not told yet, because what follows may be lost too */
	uint64_t bad_from, bad_to;
	struct bdio_error bad;
};

static void refused(struct copy *c)
{
	bd_extract_refused(c->x, c->job->dir, c->job->name);
}

static int put(struct copy *c, const uint8_t *buf, size_t len, uint64_t pos)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(c->fd, buf + done, len - done, (off_t)(pos + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int err = BD_HOST_FAIL(n ? errno : EIO, XFILE_WRITE, "write a file");

			refused(c);
			return err;
		}
		done += (size_t)n;
	}
	c->end = pos + len;
	return 0;
}

/* --- what is lost -------------------------------------------------------------------------- */

static void tell_bad(struct copy *c)
{
	if (c->bad_from == c->bad_to)
		return;
	*bd_err_self() = c->bad;
	bd_err_at_inode(c->job->st.ino.subvol, c->job->st.ino.inode);
	bd_err_at_file(c->bad_from, c->bad_to - c->bad_from);
	c->bad_from = c->bad_to = 0;
	bd_extract_lost(c->x, c->job->dir, c->job->name);
}

/* [from, to) cannot be read; the thread's error record says why. */
static int note_bad(struct copy *c, uint64_t from, uint64_t to)
{
	bool adjacent = c->bad_to == from && c->bad_from < from;

	if (!adjacent) {
		struct bdio_error error = *bd_err_self();

		tell_bad(c);
		c->bad = error;
		c->bad_from = from;
	}
	c->bad_to = to;
	if (c->x->opts->on_error != BDIO_ON_ERROR_STOP && c->bad.code != -ENOMEM)
		return 0;
	tell_bad(c);
	return -ECANCELED;
}

static int put_zeros(struct copy *c, uint64_t from, uint64_t to)
{
	int err = 0;

	memset(c->buf, 0, bd_min_u64(to - from, BD_EXTRACT_BUFFER));
	for (uint64_t len; from < to && !err; from += len) {
		len = bd_min_u64(to - from, BD_EXTRACT_BUFFER);
		err = put(c, c->buf, len, from);
	}
	return err;
}

/* --- data ---------------------------------------------------------------------------------- */

/* End of the extent that holds @pos, as far as that is known. */
static uint64_t extent_end(const struct copy *c, uint64_t pos)
{
	struct bdio_extent_iter *iter;
	struct bdio_extent extent;
	uint64_t end = c->size;

	if (bd_extent_iter_open(c->file, pos, &iter))
		return end;
	if (bd_extent_iter_next(iter, &extent) == 1)
		end = extent.file_offset + extent.length;
	bd_extent_iter_close(iter);
	return end;
}

/*
 * A read at @pos failed: where to go on. Bad sectors are known one by one. What fails for
 * another reason fails up to the end of its extent, wherever damage has put that: it is left a
 * hole, which reads as zeros too.
 */
static int skip_bad(struct copy *c, uint64_t pos, uint64_t run_end, uint64_t *next)
{
	const struct bdio_error error = *bd_err_self();
	bool sectors = error.code == -EIO && (error.has & BDIO_ERROR_FILE) &&
		       error.file_offset <= pos && error.file_length > pos - error.file_offset;
	uint64_t end = sectors ? error.file_offset + error.file_length : extent_end(c, pos);
	int err;

	*next = bd_min_u64(end, run_end);
	*bd_err_self() = error;
	err = note_bad(c, pos, *next);
	if (!err && sectors && c->x->opts->on_error == BDIO_ON_ERROR_ZERO)
		err = put_zeros(c, pos, *next);
	return err;
}

/* Copy [from, to), where all is data. */
static int copy_run(struct copy *c, uint64_t from, uint64_t to)
{
	int err = 0;

	if (c->ahead && from < to) {
		bd_count(&c->x->bytes, to - from);
		return put(c, c->ahead + from, to - from, from);
	}
	while (from < to && !err) {
		size_t len = bd_min_u64(to - from, BD_EXTRACT_BUFFER);
		ssize_t n = bd_xreader_read(c->worker, c->file, c->buf, len, from);

		if (bd_extract_stopped(c->x))
			return -ECANCELED;
		if (n <= 0) {
			err = skip_bad(c, from, to, &from);
			continue;
		}
		err = put(c, c->buf, (size_t)n, from);
		bd_count(&c->x->bytes, (uint64_t)n);
		from += (uint64_t)n;
	}
	return err;
}

/* Data that follows upon data, over the borders of extents; not copied yet. */
struct run {
	uint64_t from, to;
};

static int flush(struct copy *c, struct run *run, uint64_t from)
{
	int err = copy_run(c, run->from, run->to);

	run->from = run->to = from;
	return err;
}

/* Add an extent to the run; copy what need not wait. */
static int take_extent(struct copy *c, struct run *run, const struct bdio_extent *extent)
{
	uint64_t from = extent->file_offset, whole;
	uint64_t to = bd_min_u64(from + extent->length, c->size);
	/* Of an extent that is larger than the devices every sector would fail, for years. */
	bool fits = extent->type == BDIO_EXTENT_INLINE || extent->disk_length <= c->x->room;
	int err = 0;

	if (extent->type == BDIO_EXTENT_HOLE || extent->type == BDIO_EXTENT_PREALLOC)
		return 0;
	if (run->to != from || !fits)
		err = flush(c, run, from);
	if (err)
		return err;
	if (!fits) {
		run->from = run->to = to;
		BD_FAIL(-EUCLEAN, XFILE_EXTENT, "corrupt extent: logical %llu, too large, %llu",
			(unsigned long long)extent->logical,
			(unsigned long long)extent->disk_length);
		return note_bad(c, from, to);
	}
	run->to = to;
	whole = bd_align_down(to - run->from, BD_EXTRACT_BUFFER);
	err = copy_run(c, run->from, run->from + whole);
	run->from += whole;
	return err;
}

/* All data of the file, extent by extent. */
static int copy_data(struct copy *c)
{
	struct run run = {0};
	struct bdio_extent_iter *iter;
	struct bdio_extent extent = {0};
	struct bdio_error error;
	int err, ret = bd_extent_iter_open(c->file, 0, &iter);

	if (ret) {
		bd_extract_lost(c->x, c->job->dir, c->job->name);
		return ret;
	}
	do {
		ret = bd_extent_iter_next(iter, &extent);
		err = ret == 1 ? take_extent(c, &run, &extent) : 0;
	} while (ret == 1 && !err);
	bd_extent_iter_close(iter);
	error = *bd_err_self(); /* of the tree, if it is that */
	if (!err)
		err = flush(c, &run, c->size);
	*bd_err_self() = error;
	if (!err && ret < 0)
		err = note_bad(c, extent.file_offset + extent.length, c->size);
	tell_bad(c);
	return err;
}

/* --- the file ------------------------------------------------------------------------------ */

/* Return: descriptor of a new file; -errno, reported. */
static int create(struct bd_extract *x, const struct bd_xjob *job)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, fd, err;
	unsigned int tries = 0;

	while ((fd = openat(job->dir->fd, job->name, flags, 0600)) < 0) {
		err = bd_extract_make_room(job->dir, job->name, &tries);
		if (err) {
			BD_HOST_FAIL(-err, XFILE_CREATE, "create a file");
			bd_extract_refused(x, job->dir, job->name);
			return err;
		}
	}
	return fd;
}

/* Contents, size, attributes. */
static void fill(struct copy *c)
{
	struct bd_xnode node = {
		.dir = c->job->dir, .name = c->job->name, .fd = c->fd, .st = &c->job->st};
	int err = copy_data(c);

	if (bd_extract_stopped(c->x))
		return;
	if (!err && c->end < c->size && ftruncate(c->fd, (off_t)c->size)) {
		BD_HOST_FAIL(errno, XFILE_SIZE, "make a file so large");
		refused(c);
	}
	bd_extract_attrs(c->x, &node);
	bd_count(&c->x->files, 1);
}

/* Return: 0, *host says what was made; -errno, reported. */
static int extract_file(struct copy *c, struct stat *host)
{
	int err = 0;

	c->fd = create(c->x, c->job);
	if (c->fd < 0)
		return c->fd;
	fill(c);
	if (c->job->link && fstat(c->fd, host))
		err = -errno;
	if (close(c->fd)) {
		BD_HOST_FAIL(errno, XFILE_CLOSE, "write a file");
		refused(c);
	}
	return err;
}

void bd_extract_file(struct bd_xworker *worker, struct bd_xslot *slot)
{
	struct bd_extract *x = worker->x;
	const struct bd_xjob *job = &slot->job;
	struct copy c = {
		.x = x, .worker = worker, .job = job, .ahead = slot->data, .buf = worker->buf};
	struct stat host;
	int err = slot->file ? 0 : bd_file_open(x->fs, job->st.ino, &slot->file);

	if (err) {
		bd_extract_lost(x, job->dir, job->name);
	} else {
		c.file = slot->file;
		c.size = c.file->inode.item.size;
		err = extract_file(&c, &host);
	}
	bd_xlink_settle(x, job->link, err ? NULL : &host);
}
