/* SPDX-License-Identifier: MIT */
/* fs/extents.h - cursors over a file's extents, and stored checksums */
#ifndef BD_FS_EXTENTS_H
#define BD_FS_EXTENTS_H

#include "btrfsdio/extent.h"
#include "fs/fs.h"

int bd_extent_iter_open(struct bdio_file *file, uint64_t offset, struct bdio_extent_iter **out);
int bd_extent_iter_next(struct bdio_extent_iter *iter, struct bdio_extent *out);
void bd_extent_iter_close(struct bdio_extent_iter *iter);
ssize_t bd_csum_get(struct bdio_fs *fs, uint64_t logical, size_t nsectors, void *csums,
		    uint8_t *present);

#endif
