/* SPDX-License-Identifier: MIT */
/*
 * examples/changed_extents.c - what a backup since a generation has to copy:
 * changed_extents IMAGE GENERATION
 *
 * Prints the byte ranges of every file of the top level subvolume that were written in a later
 * generation, and the generation to ask for next time.
 */
#include <btrfsdio/btrfsdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A file may have several names; the first one is enough here. */
static int print_path(void *priv, const char *path, size_t len)
{
	(void)priv;
	printf(" /%.*s", (int)len, path);
	return 1;
}

static int print_change(struct bdio_fs *fs, const struct bdio_changed *change)
{
	if (change->what != BDIO_CHANGE_DATA)
		return 0;
	printf("inode %" PRIu64 ", bytes %" PRIu64 " to %" PRIu64 ":", change->ino.inode,
	       change->offset, change->offset + change->length);
	int err = bdio_paths(fs, change->ino, print_path, NULL);
	putchar('\n');
	return err < 0 ? err : 0;
}

static int print_changes(struct bdio_fs *fs, uint64_t since)
{
	struct bdio_changed_iter *iter;
	struct bdio_changed change;
	int got;

	int err = bdio_changed_open(fs, BDIO_SUBVOL_TOP, since, &iter);
	if (err)
		return err;
	while (!err && (got = bdio_changed_next(iter, &change)) != 0)
		err = got < 0 ? got : print_change(fs, &change);
	bdio_changed_close(iter);
	return err;
}

int main(int argc, char **argv)
{
	struct bdio_fs *fs;
	struct bdio_fs_info info;

	if (argc != 3) {
		fprintf(stderr, "usage: %s IMAGE GENERATION\n", argv[0]);
		return 2;
	}
	const char *const paths[] = {argv[1]};
	int err = bdio_open(paths, 1, NULL, &fs);
	if (!err) {
		bdio_fs_get_info(fs, &info);
		err = print_changes(fs, strtoull(argv[2], NULL, 10));
		printf("next time: %" PRIu64 "\n", info.generation);
		bdio_close(fs);
	}
	if (err)
		fprintf(stderr, "%s\n", bdio_error_get()->message);
	return err != 0;
}
