/* SPDX-License-Identifier: MIT */
/* fuzz/walk.c - call everything that reads a filesystem, within bounds */
#include "walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "btrfsdio/btrfsdio.h"

/* What one walk may do: a hostile image may hold very many of each, all of them valid. */
struct budget {
	unsigned int entries, steps, texts;
	uint64_t bytes;
};

#define MAX_DIRS  64u
#define READ_MAX  (1u << 20) /* of one file */
#define PATH_ROOM 8192u

struct walk {
	struct bdio_fs *fs;
	struct budget left;
	struct bdio_ino dirs[MAX_DIRS];
	unsigned int num_dirs, at;
	uint8_t *buf; /* READ_MAX bytes and one more */
};

static void check(int good)
{
	if (!good)
		abort();
}

/* The record of a failed call is that of its return value. */
static ssize_t checked(ssize_t ret)
{
	const struct bdio_error *e = bdio_error_get();

	if (ret >= 0)
		return ret;
	if (e->code != ret || !e->site || !e->message[0])
		fprintf(stderr, "returned %zd, but the record says %d %s: %s\n", ret, e->code,
			e->site, e->message);
	check(e->code == ret && e->site && e->message[0]);
	check(memchr(e->message, 0, sizeof(e->message)) != NULL);
	return ret;
}

static int spend(unsigned int *left)
{
	if (!*left)
		return 0;
	--*left;
	return 1;
}

static void walk_extents(struct walk *w, struct bdio_file *file)
{
	struct bdio_extent_iter *iter;
	struct bdio_place places[8];
	uint64_t end = 0;
	struct bdio_extent e;

	if (checked(bdio_extent_iter_open(file, 0, &iter)))
		return;
	while (spend(&w->left.steps) && checked(bdio_extent_iter_next(iter, &e)) == 1) {
		check(e.file_offset == end && e.length && e.type <= BDIO_EXTENT_PREALLOC);
		end = e.file_offset + e.length;
		if (!e.logical)
			continue;
		bdio_logical_map(w->fs, e.logical, e.length < READ_MAX ? e.length : READ_MAX,
				 places, 8);
		bdio_csum_get(w->fs, e.logical, 16, w->buf, NULL);
	}
	bdio_extent_iter_close(iter);
}

static void walk_seeks(struct walk *w, struct bdio_file *file)
{
	uint64_t at = 0, found;

	for (int whence = BDIO_SEEK_DATA; spend(&w->left.steps);
	     whence = whence == BDIO_SEEK_DATA ? BDIO_SEEK_HOLE : BDIO_SEEK_DATA) {
		if (checked(bdio_file_seek(file, at, whence, &found)))
			return;
		check(found >= at && found <= bdio_file_size(file));
		at = found;
		if (at == bdio_file_size(file))
			return;
	}
}

static void walk_file(struct walk *w, struct bdio_ino ino)
{
	struct bdio_file *file;
	size_t len = READ_MAX < w->left.bytes ? READ_MAX : (size_t)w->left.bytes;
	ssize_t n;

	if (checked(bdio_file_open(w->fs, ino, &file)))
		return;
	w->buf[len] = 0xa5;
	n = checked(bdio_file_read(file, w->buf, len, 0, 0));
	check(n <= (ssize_t)len && w->buf[len] == 0xa5);
	/* behind a bad range, and at the end */
	n = bdio_file_read(file, w->buf + 1, 5000, 4096, 0);
	check(n <= 5000);
	n = bdio_file_read(file, w->buf, 100, bdio_file_size(file) - 50, 0);
	check(n <= 50 || bdio_file_size(file) < 50);
	w->left.bytes -= len / 4 < w->left.bytes ? len / 4 : w->left.bytes;
	walk_seeks(w, file);
	walk_extents(w, file);
	bdio_file_close(file);
}

static void walk_xattrs(struct walk *w, struct bdio_ino ino)
{
	char names[4096];
	ssize_t need = checked(bdio_xattr_list(w->fs, ino, NULL, 0)), n;

	n = bdio_xattr_list(w->fs, ino, names, sizeof(names));
	check(n <= (ssize_t)sizeof(names) && (n < 0 || n == need));
	for (char *name = names; n > 0 && name < names + n && spend(&w->left.steps);
	     name += strlen(name) + 1) {
		need = checked(bdio_xattr_get(w->fs, ino, name, NULL, 0));
		check(need <= READ_MAX);
		check(bdio_xattr_get(w->fs, ino, name, w->buf, READ_MAX) == need);
	}
}

static int take_path(void *priv, const char *path, size_t len)
{
	struct walk *w = priv;

	check(!len || memchr(path, 0, len) != path);
	return spend(&w->left.steps) ? 0 : 1;
}

static void walk_inode(struct walk *w, struct bdio_ino ino)
{
	struct bdio_stat st;

	if (!checked(bdio_stat(w->fs, ino, &st)))
		check(st.ino.inode == ino.inode && st.ino.subvol == ino.subvol);
	walk_xattrs(w, ino);
	bdio_paths(w->fs, ino, take_path, w);
	check(bdio_readlink(w->fs, ino, (char *)w->buf, 100) < READ_MAX);
	walk_file(w, ino);
}

static void walk_entry(struct walk *w, struct bdio_ino dir, const struct bdio_dirent *entry)
{
	struct bdio_ino ino;

	check(entry->name_len >= 1 && entry->name_len <= 255 && !entry->name[entry->name_len]);
	check(!memchr(entry->name, '/', entry->name_len) &&
	      !memchr(entry->name, 0, entry->name_len));
	checked(bdio_lookup(w->fs, dir, entry->name, entry->name_len, 0, &ino));
	checked(bdio_lookup(w->fs, dir, entry->name, entry->name_len, BDIO_LOOKUP_FOLLOW, &ino));
	walk_inode(w, entry->ino);
	if (entry->type == BDIO_FT_DIR && w->num_dirs < MAX_DIRS)
		w->dirs[w->num_dirs++] = entry->ino;
}

static void walk_dir(struct walk *w, struct bdio_ino ino)
{
	struct bdio_dirent entry;
	struct bdio_dir *dir;
	unsigned int errors = 0;

	if (checked(bdio_dir_open(w->fs, ino, &dir)))
		return;
	while (spend(&w->left.entries)) {
		ssize_t ret = checked(bdio_dir_next(dir, &entry));

		if (ret == 0 || (ret < 0 && ++errors == 3))
			break;
		if (ret == 1)
			walk_entry(w, ino, &entry);
	}
	bdio_dir_close(dir);
}

static void walk_changed(struct walk *w, uint64_t subvol, uint64_t since)
{
	struct bdio_changed_iter *iter;
	struct bdio_changed c;
	unsigned int errors = 0, steps = 3000;

	if (checked(bdio_changed_open(w->fs, subvol, since, &iter)))
		return;
	while (spend(&steps)) {
		ssize_t ret = checked(bdio_changed_next(iter, &c));

		if (ret == 0 || (ret < 0 && ++errors == 3))
			break;
		check(ret < 0 || c.what >= BDIO_CHANGE_INODE);
	}
	bdio_changed_close(iter);
}

static void walk_subvols(struct walk *w)
{
	struct bdio_subvol sv;
	uint64_t after = 0, id;
	char path[PATH_ROOM];

	for (unsigned int n = 0; n < 12; n++) {
		if (checked(bdio_subvol_next(w->fs, after, &sv)) != 1)
			break;
		check(sv.id > after && memchr(sv.name, 0, sizeof(sv.name)));
		after = sv.id;
		if (bdio_subvol_path(w->fs, sv.id, path, sizeof(path)) >= 0)
			bdio_subvol_find(w->fs, path, &id);
		walk_changed(w, sv.id, 0);
		walk_changed(w, sv.id, sv.generation - 1);
		w->num_dirs = w->at = 0;
		w->dirs[w->num_dirs++] = (struct bdio_ino){sv.id, BDIO_INODE_ROOT};
		while (w->at < w->num_dirs && w->left.entries)
			walk_dir(w, w->dirs[w->at++]);
	}
}

static void walk_info(struct walk *w)
{
	struct bdio_device_info device;
	struct bdio_chunk_info chunk;
	struct bdio_counters counters;
	struct bdio_fs_info info;
	char text[200];

	bdio_fs_get_info(w->fs, &info);
	check(!info.label[256] && !info.csum_name[14]);
	bdio_fs_get_counters(w->fs, &counters);
	for (int set = 0; set < 3; set++)
		bdio_features_text(set, info.incompat_flags | info.compat_ro_flags, text,
				   sizeof(text));
	for (size_t i = 0; i < bdio_device_count(w->fs) && i < 64; i++)
		checked(bdio_device_get_info(w->fs, i, &device));
	for (size_t i = 0; i < bdio_chunk_count(w->fs) && i < 64; i++)
		checked(bdio_chunk_get_info(w->fs, i, &chunk));
}

static void walk_used(struct walk *w)
{
	struct bdio_used_iter *iter;
	struct bdio_used u;
	unsigned int errors = 0, steps = 20000;

	if (checked(bdio_used_open(w->fs, 0, &iter)))
		return;
	while (spend(&steps)) {
		ssize_t ret = checked(bdio_used_next(iter, &u));

		if (ret == 0 || (ret < 0 && ++errors == 3))
			break;
		check(ret < 0 || u.length);
	}
	bdio_used_close(iter);
}

static int take_text(void *priv, const char *text, size_t len)
{
	struct walk *w = priv;

	(void)text;
	check(len < READ_MAX);
	return spend(&w->left.texts) ? 0 : -E2BIG;
}

static void walk_queue(struct walk *w, struct bdio_ino ino)
{
	struct bdio_queue_opts opts = {.size = sizeof(opts), .depth = 4};
	struct bdio_completion done[4];
	struct bdio_queue *q;
	struct bdio_file *file;
	int flying = 0;

	if (bdio_file_open(w->fs, ino, &file))
		return;
	if (!checked(bdio_queue_create(w->fs, &opts, &q))) {
		for (unsigned int i = 0; i < 4; i++)
			check(!bdio_queue_read(q, file, w->buf + i * 65536, 65536 - i, i * 30000, 0,
					       i));
		flying = bdio_queue_submit(q);
		check(flying == 4);
		check(bdio_queue_wait(q, done, 4, 4, -1) == 4);
		bdio_queue_destroy(q);
	}
	bdio_file_close(file);
}

void walk_everything(struct bdio_fs *fs)
{
	struct walk w = {.fs = fs,
			 .left = {.entries = 250, .steps = 4000, .texts = 20000, .bytes = 8u << 20},
			 .buf = malloc(READ_MAX + 1)};

	if (!w.buf)
		abort();
	walk_info(&w);
	walk_subvols(&w);
	for (uint64_t ino = 257; ino < 262; ino++)
		walk_queue(&w, (struct bdio_ino){BDIO_SUBVOL_TOP, ino});
	walk_used(&w);
	bdio_dump_super(fs, take_text, &w);
	bdio_dump_all(fs, take_text, &w);
	free(w.buf);
}
