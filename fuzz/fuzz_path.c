/* SPDX-License-Identifier: MIT */
/* fuzz/fuzz_path.c - any bytes as a path, from anywhere, in a sound image */
#include <stdlib.h>
#include <string.h>
#include "bases.h"
#include "btrfsdio/btrfsdio.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct bdio_fs *opened[32];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	bases_load((*argv)[0]);
	return 0;
}

/* A base is opened once: look-ups leave nothing behind. */
static struct bdio_fs *open_base(unsigned int nr)
{
	overlay_begin(base_get(nr));
	if (!opened[nr] && overlay_open(0, 0, &opened[nr]))
		abort();
	return opened[nr];
}

/* Byte 0: base, bytes 1 and 2: inode to start from, then the path. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bdio_ino start = {BDIO_SUBVOL_TOP, BDIO_INODE_ROOT}, one, two;
	struct bdio_stat st;
	struct bdio_fs *fs;
	char *path;
	int err;

	if (size < 3)
		return 0;
	fs = open_base(data[0] % bases_count());
	start.inode += data[1] % 64;
	size -= 3;
	path = malloc(size + 1); /* exactly so many for the look-up, and a string for the other */
	if (!path)
		abort();
	memcpy(path, data + 3, size);
	path[size] = 0;
	err = bdio_lookup(fs, start, path, size, data[2] & 1, &one);
	if (err && bdio_error_get()->code != err)
		abort();
	/* what is found once is found again, and is there */
	if (!err && (bdio_lookup(fs, start, path, size, data[2] & 1, &two) ||
		     memcmp(&one, &two, sizeof(one)) || bdio_stat(fs, one, &st)))
		abort();
	bdio_subvol_find(fs, path, &start.subvol);
	free(path);
	return 0;
}
