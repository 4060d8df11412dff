/* SPDX-License-Identifier: MIT */
/* tools/walk.h - directories that wait to be visited, each once */
#ifndef BTRFSDIO_TOOLS_WALK_H
#define BTRFSDIO_TOOLS_WALK_H

#include "btrfsdio/btrfsdio.h"

/* A directory; its path is that of its parents and its name. */
struct place {
	struct bdio_ino ino;
	struct place *parent, *next;
	size_t path_len;
	char name[];
};

struct walk {
	struct place *waiting; /* a stack */
	void *seen;	       /* tsearch(3) tree by inode; owns every struct place */
	char *path;	       /* scratch of walk_path() */
	size_t path_room;
};

/*
 * Let a directory wait for its turn. In a sound filesystem each is found once; a damaged one may
 * hold loops, one directory under very many names, or paths that are longer than any use.
 * Return: 0; -ELOOP it was pushed before; -ENAMETOOLONG; -ENOMEM.
 */
int walk_push(struct walk *walk, struct bdio_ino ino, struct place *parent, const char *name);

/* The directory that was pushed last; NULL: none waits. It lives until walk_free(). */
struct place *walk_pop(struct walk *walk);

/* The path of @name below @parent, valid until the next call; NULL: no memory. */
char *walk_path(struct walk *walk, const struct place *parent, const char *name);

void walk_free(struct walk *walk);

#endif
