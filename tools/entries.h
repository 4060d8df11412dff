/* SPDX-License-Identifier: MIT */
/* tools/entries.h - a directory's entries in memory, sorted by name */
#ifndef BTRFSDIO_TOOLS_ENTRIES_H
#define BTRFSDIO_TOOLS_ENTRIES_H

#include <stdbool.h>
#include "btrfsdio/btrfsdio.h"

struct dir_entry {
	struct bdio_ino ino;
	uint8_t type; /* enum bdio_ftype */
	uint8_t is_subvol;
	uint16_t len;
	char name[]; /* terminated */
};

struct entries {
	struct dir_entry **list;
	size_t count, room;
};

struct dir_entry *entry_new(struct bdio_ino ino, unsigned int type, const char *name, size_t len);

/*
 * Read all entries of @dir, named @path in reports, sorted by the bytes of their names unless
 * @in_order. Damaged entries are reported and left out.
 * Return: 0; -errno when something was reported; the entries that could be read are there.
 */
int entries_read(struct bdio_fs *fs, struct bdio_ino dir, const char *path, bool in_order,
		 struct entries *out);
void entries_free(struct entries *entries);

#endif
