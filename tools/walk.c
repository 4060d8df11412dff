/* SPDX-License-Identifier: MIT */
/* tools/walk.c - directories that wait to be visited, each once */
#include "walk.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sixteen times what the kernel takes in one call. Without a limit a chain of directories in a
 * hostile image makes output that grows with the square of the image.
 */
#define MAX_PATH_LEN 65536

static int by_ino(const void *left, const void *right)
{
	const struct bdio_ino *a = &((const struct place *)left)->ino;
	const struct bdio_ino *b = &((const struct place *)right)->ino;

	if (a->subvol != b->subvol)
		return a->subvol < b->subvol ? -1 : 1;
	return a->inode < b->inode ? -1 : a->inode > b->inode;
}

int walk_push(struct walk *walk, struct bdio_ino ino, struct place *parent, const char *name)
{
	size_t len = strlen(name), path_len = (parent ? parent->path_len + 1 : 0) + len;

	if (path_len > MAX_PATH_LEN)
		return -ENAMETOOLONG;
	struct place *place = malloc(sizeof(*place) + len + 1);
	if (!place)
		return -ENOMEM;
	*place = (struct place){
		.ino = ino, .parent = parent, .next = walk->waiting, .path_len = path_len};
	memcpy(place->name, name, len + 1);
	struct place **found = tsearch(place, &walk->seen, by_ino);
	if (!found || *found != place) {
		free(place);
		return found ? -ELOOP : -ENOMEM;
	}
	walk->waiting = place;
	return 0;
}

struct place *walk_pop(struct walk *walk)
{
	struct place *place = walk->waiting;

	if (place)
		walk->waiting = place->next;
	return place;
}

char *walk_path(struct walk *walk, const struct place *parent, const char *name)
{
	size_t len = strlen(name), room = (parent ? parent->path_len + 1 : 0) + len + 1;

	if (room > walk->path_room) {
		char *larger = realloc(walk->path, 2 * room);
		if (!larger)
			return NULL;
		walk->path = larger;
		walk->path_room = 2 * room;
	}
	char *at = walk->path + room - len - 1;
	memcpy(at, name, len + 1);
	for (const struct place *place = parent; place; place = place->parent) {
		size_t part = strlen(place->name);
		/* "/" brings its slash along */
		if (part == 0 || place->name[part - 1] != '/')
			*--at = '/';
		at -= part;
		memcpy(at, place->name, part);
	}
	return at;
}

void walk_free(struct walk *walk)
{
	tdestroy(walk->seen, free);
	free(walk->path);
	*walk = (struct walk){0};
}
