/* SPDX-License-Identifier: MIT */
/* tools/entries.c - a directory's entries in memory, sorted by name */
#include "entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

struct dir_entry *entry_new(struct bdio_ino ino, unsigned int type, const char *name, size_t len)
{
	struct dir_entry *entry = malloc(sizeof(*entry) + len + 1);

	if (!entry)
		return NULL;
	*entry = (struct dir_entry){.ino = ino, .type = (uint8_t)type, .len = (uint16_t)len};
	memcpy(entry->name, name, len);
	entry->name[len] = '\0';
	return entry;
}

static int append(struct entries *entries, const struct bdio_dirent *dirent)
{
	if (entries->count == entries->room) {
		size_t room = entries->room ? 2 * entries->room : 64;
		struct dir_entry **list = reallocarray(entries->list, room, sizeof(*list));
		if (!list)
			return -ENOMEM;
		entries->list = list;
		entries->room = room;
	}
	struct dir_entry *entry =
		entry_new(dirent->ino, dirent->type, dirent->name, dirent->name_len);
	if (!entry)
		return -ENOMEM;
	entry->is_subvol = dirent->is_subvol;
	entries->list[entries->count++] = entry;
	return 0;
}

static int by_name(const void *left, const void *right)
{
	const struct dir_entry *a = *(struct dir_entry *const *)left,
			       *b = *(struct dir_entry *const *)right;

	return strcmp(a->name, b->name);
}

/*
 * Behind a damaged entry the cursor has moved on, at a damaged tree block it has not: then the
 * next call fails with the same words.
 */
static bool is_stuck(char last[BDIO_ERROR_MESSAGE_MAX])
{
	const char *message = bdio_error_get()->message;
	bool same = strcmp(message, last) == 0;

	memcpy(last, message, BDIO_ERROR_MESSAGE_MAX);
	return same;
}

static int read_all(struct bdio_dir *dir, const char *path, struct entries *out)
{
	char last[BDIO_ERROR_MESSAGE_MAX] = "";
	struct bdio_dirent dirent;
	int err = 0, got;

	while ((got = bdio_dir_next(dir, &dirent)) != 0) {
		if (got < 0) {
			err = got;
			if (got == -EUCLEAN && is_stuck(last))
				break;
			report_error(path, got);
			if (got != -EUCLEAN)
				break;
			continue;
		}
		int failed = append(out, &dirent);
		if (failed) {
			report_errno(path, -failed);
			return failed;
		}
	}
	return err;
}

int entries_read(struct bdio_fs *fs, struct bdio_ino ino, const char *path, bool in_order,
		 struct entries *out)
{
	struct bdio_dir *dir;

	*out = (struct entries){0};
	int err = bdio_dir_open(fs, ino, &dir);
	if (err) {
		report_error(path, err);
		return err;
	}
	err = read_all(dir, path, out);
	bdio_dir_close(dir);
	if (!in_order && out->count > 1)
		qsort(out->list, out->count, sizeof(*out->list), by_name);
	return err;
}

void entries_free(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		free(entries->list[i]);
	free(entries->list);
	*entries = (struct entries){0};
}
