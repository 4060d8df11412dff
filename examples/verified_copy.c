/* SPDX-License-Identifier: MIT */
/*
 * examples/verified_copy.c - copy one file out of an image: verified_copy IMAGE PATH DEST
 *
 * Holes stay holes. A sector that no copy of the filesystem has right becomes zeros; what was
 * lost is said with its place, and the exit status is 1.
 */
#include <btrfsdio/btrfsdio.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE (1u << 20)

static void complain(const char *what)
{
	char line[1024];

	bdio_error_format(bdio_error_get(), line, sizeof(line));
	fprintf(stderr, "%s: %s\n", what, line);
}

static int write_all(int fd, const char *buf, size_t len, uint64_t offset)
{
	while (len > 0) {
		ssize_t put = pwrite(fd, buf, len, (off_t)offset);
		if (put < 0)
			return -errno;
		buf += put;
		len -= (size_t)put;
		offset += (uint64_t)put;
	}
	return 0;
}

/*
 * Copy bytes from..to. A read ends before a bad sector; the next one, which begins with it, fails
 * and says how long the bad range is.
 */
static int copy_range(struct bdio_file *file, int fd, char *buf, uint64_t from, uint64_t to,
		      uint64_t *lost)
{
	while (from < to) {
		size_t want = to - from < BUFFER_SIZE ? (size_t)(to - from) : BUFFER_SIZE;
		ssize_t got = bdio_file_read(file, buf, want, from, 0);
		const struct bdio_error error = *bdio_error_get();

		if (got == -EIO && (error.has & BDIO_ERROR_FILE) && error.file_length > 0) {
			complain("lost");
			*lost += error.file_length;
			from = error.file_offset + error.file_length;
			continue;
		}
		if (got <= 0)
			return (int)got;
		int err = write_all(fd, buf, (size_t)got, from);
		if (err)
			return err;
		from += (uint64_t)got;
	}
	return 0;
}

static int copy_file(struct bdio_file *file, int fd, uint64_t *lost)
{
	uint64_t size = bdio_file_size(file), data, hole = 0;
	char *buf = aligned_alloc(4096, BUFFER_SIZE); /* aligned: read without a copy */
	int err = buf ? 0 : -ENOMEM;

	while (!err) {
		err = bdio_file_seek(file, hole, BDIO_SEEK_DATA, &data);
		if (!err)
			err = bdio_file_seek(file, data, BDIO_SEEK_HOLE, &hole);
		if (!err)
			err = copy_range(file, fd, buf, data, hole, lost);
	}
	free(buf);
	if (err == -ENXIO) /* no data follows */
		err = 0;
	if (!err && ftruncate(fd, (off_t)size))
		err = -errno;
	return err;
}

static int copy(struct bdio_fs *fs, const char *path, const char *dest, uint64_t *lost)
{
	struct bdio_ino start = {.inode = BDIO_INODE_ROOT}, ino;
	struct bdio_fs_info info;
	struct bdio_file *file;

	bdio_fs_get_info(fs, &info);
	start.subvol = info.default_subvol;
	int err = bdio_lookup(fs, start, path, strlen(path), BDIO_LOOKUP_FOLLOW, &ino);
	if (!err)
		err = bdio_file_open(fs, ino, &file);
	if (err) {
		complain(path);
		return err;
	}
	int fd = open(dest, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	err = fd < 0 ? -errno : copy_file(file, fd, lost);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err)
		fprintf(stderr, "%s: %s\n", dest, strerror(-err));
	bdio_file_close(file);
	return err;
}

int main(int argc, char **argv)
{
	struct bdio_fs *fs;
	uint64_t lost = 0;

	if (argc != 4) {
		fprintf(stderr, "usage: %s IMAGE PATH DEST\n", argv[0]);
		return 2;
	}
	const char *const paths[] = {argv[1]};
	if (bdio_open(paths, 1, NULL, &fs)) {
		complain(argv[1]);
		return 1;
	}
	int err = copy(fs, argv[2], argv[3], &lost);
	bdio_close(fs);
	if (lost)
		fprintf(stderr, "%" PRIu64 " bytes lost\n", lost);
	return err || lost;
}
