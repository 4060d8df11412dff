/* SPDX-License-Identifier: MIT */
/* examples/simple.c - print a file of a btrfs image, every byte verified: simple IMAGE PATH */
#include <btrfsdio/btrfsdio.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct bdio_ino root = {.subvol = BDIO_SUBVOL_TOP, .inode = BDIO_INODE_ROOT}, ino;
	struct bdio_fs *fs = NULL;
	struct bdio_file *file = NULL;
	static char buf[1 << 20];
	ssize_t got = -1;

	if (argc == 3 && bdio_open((const char *const *)&argv[1], 1, NULL, &fs) == 0 &&
	    bdio_lookup(fs, root, argv[2], strlen(argv[2]), BDIO_LOOKUP_FOLLOW, &ino) == 0 &&
	    bdio_file_open(fs, ino, &file) == 0) {
		for (uint64_t at = 0; (got = bdio_file_read(file, buf, sizeof(buf), at, 0)) > 0;
		     at += (uint64_t)got)
			fwrite(buf, 1, (size_t)got, stdout);
	}
	if (got < 0)
		fprintf(stderr, "%s\n", bdio_error_get()->message);
	bdio_file_close(file);
	bdio_close(fs);
	return got < 0 || fclose(stdout);
}
