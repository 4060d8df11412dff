/* SPDX-License-Identifier: MIT */
/* api/api_fs.c - btrfsdio/fs.h, version */
#include "btrfsdio/fs.h"

#include "api/args.h"
#include "fs/fs.h"

#define DEFAULT_CACHE_BYTES (64ull << 20)
#define MIN_CACHE_BYTES	    (1ull << 20)
#define DEFAULT_DEPTH	    64u
#define MAX_DEPTH	    4096u

#define OPEN_FLAGS                                                                          \
	(BDIO_OPEN_DEGRADED | BDIO_OPEN_SCAN | BDIO_OPEN_FORCE_LIVE | BDIO_OPEN_NO_VERIFY | \
	 BDIO_OPEN_BLOCKING | BDIO_OPEN_SALVAGE)

#define STR_(x) #x
#define STR(x)	STR_(x)

const char *bdio_version(void)
{
	return STR(BDIO_VERSION_MAJOR) "." STR(BDIO_VERSION_MINOR) "." STR(BDIO_VERSION_PATCH);
}

static int check_device(const struct bdio_device *device)
{
	if (device->size != sizeof(*device))
		return BD_EINVAL(DEVICE_SIZE, "bdio_device.size");
	if (!device->read || !device->size_bytes || (device->write && !device->flush))
		return BD_EINVAL(DEVICE_FUNCTIONS, "a function of bdio_device is missing");
	if (!bd_is_zero(device->reserved, sizeof(device->reserved)))
		return BD_EINVAL(DEVICE_RESERVED, "bdio_device.reserved");
	return 0;
}

static int check_open_opts(const struct bdio_open_opts *opts, size_t npaths)
{
	int err = 0;

	if (opts->flags & ~OPEN_FLAGS)
		return BD_EINVAL(OPEN_FLAGS, "unknown flag for open");
	if (opts->reserved || !bd_is_zero(opts->reserved2, sizeof(opts->reserved2)))
		return BD_EINVAL(OPEN_RESERVED, "bdio_open_opts.reserved");
	if (opts->cache_bytes < MIN_CACHE_BYTES)
		return BD_EINVAL(OPEN_CACHE, "cache_bytes below 1 MiB");
	if (opts->queue_depth > MAX_DEPTH)
		return BD_EINVAL(OPEN_DEPTH, "queue_depth above 4096");
	if (opts->super_copy > BD_SUPER_COPIES)
		return BD_EINVAL(OPEN_SUPER, "super_copy above 3");
	if (opts->backup_root > BD_NUM_BACKUP_ROOTS)
		return BD_EINVAL(OPEN_BACKUP, "backup_root above 4");
	if (opts->num_devices && !opts->devices)
		return BD_EINVAL(OPEN_DEVICES, "devices is NULL");
	if (!npaths && !opts->num_devices)
		return BD_EINVAL(OPEN_NOTHING, "neither a path nor a device");
	for (size_t i = 0; i < opts->num_devices && !err; i++)
		err = check_device(&opts->devices[i]);
	return err;
}

/* A failed open closes what it was given, however early it fails. */
static void close_devices(const struct bdio_open_opts *opts)
{
	for (size_t i = 0; opts->devices && i < opts->num_devices; i++) {
		const struct bdio_device *device = &opts->devices[i];

		if (device->size == sizeof(*device) && device->close)
			device->close(device->priv);
	}
}

int bdio_open(const char *const *paths, size_t npaths, const struct bdio_open_opts *opts,
	      struct bdio_fs **out)
{
	struct bdio_open_opts own;
	int err;

	if (!out || (npaths && !paths))
		return BD_EINVAL(OPEN_NULL, "NULL");
	err = bd_opts_copy(&own, sizeof(own), opts, opts ? opts->size : 0);
	if (err)
		return err;
	if (!own.cache_bytes)
		own.cache_bytes = DEFAULT_CACHE_BYTES;
	if (!own.queue_depth)
		own.queue_depth = DEFAULT_DEPTH;
	err = check_open_opts(&own, npaths);
	if (err) {
		close_devices(&own);
		return err;
	}
	return bd_fs_open(paths, npaths, &own, out);
}

void bdio_close(struct bdio_fs *fs)
{
	bd_fs_close(fs);
}
