/* SPDX-License-Identifier: MIT */
/*
 * examples/custom_device.c - a device of one's own below a filesystem: custom_device IMAGE KEY
 *
 * The image is "encrypted": every byte was XORed with KEY, 0 to 255. The device decrypts what it
 * reads and counts it; any source of bytes can stand in its place: a qcow2 file, a network.
 */
#include <btrfsdio/btrfsdio.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct xor_device {
	int fd;
	uint8_t key;
	_Atomic uint64_t bytes_read; /* several threads may read at a time */
};

static int xor_read(void *priv, void *buf, size_t len, uint64_t offset)
{
	struct xor_device *device = priv;
	uint8_t *bytes = buf;

	for (size_t done = 0; done < len;) {
		ssize_t got = pread(device->fd, bytes + done, len - done, (off_t)(offset + done));
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		done += (size_t)got;
	}
	for (size_t i = 0; i < len; i++)
		bytes[i] ^= device->key;
	atomic_fetch_add(&device->bytes_read, len);
	return 0;
}

static int xor_size(void *priv, uint64_t *out)
{
	struct xor_device *device = priv;
	struct stat st;

	if (fstat(device->fd, &st))
		return -errno;
	*out = (uint64_t)st.st_size;
	return 0;
}

static void xor_close(void *priv)
{
	struct xor_device *device = priv;

	close(device->fd);
}

static int list_root(struct bdio_fs *fs)
{
	struct bdio_ino root = {.subvol = BDIO_SUBVOL_TOP, .inode = BDIO_INODE_ROOT};
	struct bdio_dir *dir;
	struct bdio_dirent entry;
	int got;

	int err = bdio_dir_open(fs, root, &dir);
	if (err)
		return err;
	while ((got = bdio_dir_next(dir, &entry)) > 0)
		printf("%s\n", entry.name);
	bdio_dir_close(dir);
	return got;
}

int main(int argc, char **argv)
{
	struct xor_device xor = {0};
	struct bdio_fs *fs;

	if (argc != 3) {
		fprintf(stderr, "usage: %s IMAGE KEY\n", argv[0]);
		return 2;
	}
	xor.key = (uint8_t)strtoul(argv[2], NULL, 0);
	xor.fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (xor.fd < 0) {
		perror(argv[1]);
		return 1;
	}
	const struct bdio_device device = {
		.size = sizeof(device),
		.priv = &xor,
		.name = argv[1],
		.read = xor_read, /* no .write: it is read-only */
		.size_bytes = xor_size,
		.close = xor_close,
	};
	const struct bdio_open_opts opts = {
		.size = sizeof(opts), .devices = &device, .num_devices = 1};
	int err = bdio_open(NULL, 0, &opts, &fs);
	if (!err) {
		err = list_root(fs);
		bdio_close(fs);
	}
	if (err)
		fprintf(stderr, "%s\n", bdio_error_get()->message);
	fprintf(stderr, "%" PRIu64 " bytes were read\n", atomic_load(&xor.bytes_read));
	return err != 0;
}
