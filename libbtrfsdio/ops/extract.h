/* SPDX-License-Identifier: MIT */
/* ops/extract.h - copy a tree of an image into a directory of the host */
#ifndef BD_OPS_EXTRACT_H
#define BD_OPS_EXTRACT_H

#include "btrfsdio/extract.h"
#include "fs/fs.h"

#define BD_EXTRACT_MAX_THREADS 64u

/* As bdio_extract(); @opts and @result are complete, @name is sound or NULL. */
int bd_extract(struct bdio_fs *fs, struct bdio_ino ino, const char *dest, const char *name,
	       const struct bdio_extract_opts *opts, struct bdio_extract_progress *result);

#endif
