/* SPDX-License-Identifier: MIT */
/* api/api_extract.c - btrfsdio/extract.h */
#include "btrfsdio/extract.h"

#include <string.h>
#include <unistd.h>

#include "api/args.h"
#include "base/math.h"
#include "ops/extract.h"

#define EXTRACT_FLAGS (BDIO_EXTRACT_NO_OWNER | BDIO_EXTRACT_NO_XATTR)

/* A file is several waits for the device and the host: more threads than processors pay off. */
static uint32_t default_threads(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return (uint32_t)bd_min_u64(8, bd_max_u64(4, cpus > 0 ? 2 * (uint64_t)cpus : 0));
}

static int check_extract_opts(const struct bdio_extract_opts *opts)
{
	if (opts->flags & ~EXTRACT_FLAGS)
		return BD_EINVAL(EXTRACT_FLAGS, "unknown flag for an extraction");
	if (opts->on_error > BDIO_ON_ERROR_STOP)
		return BD_EINVAL(EXTRACT_ON_ERROR, "on_error");
	if (opts->threads > BD_EXTRACT_MAX_THREADS)
		return BD_EINVAL(EXTRACT_THREADS, "threads above 64");
	if (!bd_is_zero(opts->reserved, sizeof(opts->reserved)))
		return BD_EINVAL(EXTRACT_RESERVED, "bdio_extract_opts.reserved");
	return 0;
}

int bdio_extract(struct bdio_fs *fs, struct bdio_ino ino, const char *dest, const char *name,
		 const struct bdio_extract_opts *opts, struct bdio_extract_progress *result)
{
	struct bdio_extract_progress own_result;
	struct bdio_extract_opts own;
	int err = bd_opts_copy(&own, sizeof(own), opts, opts ? opts->size : 0);

	if (!result)
		result = &own_result;
	memset(result, 0, sizeof(*result));
	if (!err)
		err = check_extract_opts(&own);
	if (!err && (!dest || !*dest))
		err = BD_EINVAL(EXTRACT_DEST, "no destination");
	if (!err && name && !bd_name_is_sound(name, strlen(name)))
		err = BD_EINVAL(EXTRACT_NAME, "name of a file");
	if (err)
		return err;
	if (!own.threads)
		own.threads = default_threads();
	return bd_extract(fs, ino, dest, name, &own, result);
}
