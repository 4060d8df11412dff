/* SPDX-License-Identifier: MIT */
/* api/api_info.c - btrfsdio/info.h */
#include "btrfsdio/info.h"

#include "api/args.h"
#include "disk/features.h"
#include "fs/info.h"

void bdio_fs_get_info(const struct bdio_fs *fs, struct bdio_fs_info *out)
{
	bd_fs_info(fs, out);
}

void bdio_fs_get_counters(struct bdio_fs *fs, struct bdio_counters *out)
{
	bd_fs_counters(fs, out);
}

size_t bdio_device_count(const struct bdio_fs *fs)
{
	return fs->vol.ls.num_members;
}

int bdio_device_get_info(struct bdio_fs *fs, size_t index, struct bdio_device_info *out)
{
	if (!out || index >= fs->vol.ls.num_members)
		return BD_EINVAL(DEVICE_INDEX, "index of a device");
	return bd_device_info(fs, index, out);
}

size_t bdio_chunk_count(const struct bdio_fs *fs)
{
	return fs->vol.ls.map.n;
}

int bdio_chunk_get_info(struct bdio_fs *fs, size_t index, struct bdio_chunk_info *out)
{
	if (!out || index >= fs->vol.ls.map.n)
		return BD_EINVAL(CHUNK_INDEX, "index of a chunk");
	return bd_chunk_info(fs, index, out);
}

void bdio_features_text(int set, uint64_t bits, char *buf, size_t size)
{
	static const enum bd_feature_set sets[] = {BD_FEATURE_COMPAT, BD_FEATURE_COMPAT_RO,
						   BD_FEATURE_INCOMPAT};

	if (set >= 0 && set <= 2)
		bd_features_names(sets[set], bits, buf, size);
	else if (size)
		buf[0] = 0;
}

ssize_t bdio_logical_map(const struct bdio_fs *fs, uint64_t logical, uint64_t length,
			 struct bdio_place *out, size_t max)
{
	if (!length || (max && !out))
		return BD_EINVAL(MAP_ARGS, "an empty range, or no array");
	return bd_logical_places(fs, logical, length, out, max);
}
