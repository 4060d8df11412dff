/* SPDX-License-Identifier: MIT */
/* fs/info.h - facts about the filesystem, its devices and chunks; counters */
#ifndef BD_FS_INFO_H
#define BD_FS_INFO_H

#include "btrfsdio/info.h"
#include "fs/fs.h"

void bd_fs_info(const struct bdio_fs *fs, struct bdio_fs_info *out);
void bd_fs_counters(struct bdio_fs *fs, struct bdio_counters *out);
int bd_device_info(struct bdio_fs *fs, size_t index, struct bdio_device_info *out);
int bd_chunk_info(struct bdio_fs *fs, size_t index, struct bdio_chunk_info *out);
ssize_t bd_logical_places(const struct bdio_fs *fs, uint64_t logical, uint64_t length,
			  struct bdio_place *out, size_t max);

#endif
