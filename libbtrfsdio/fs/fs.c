/* SPDX-License-Identifier: MIT */
/* fs/fs.c - open and close a filesystem */
#include "fs/fs.h"

#include "base/err.h"
#include "base/mem.h"

int bd_fs_open(const char *const *paths, size_t npaths, const struct bdio_open_opts *opts,
	       struct bdio_fs **out)
{
	struct bdio_fs *fs = bd_zalloc(sizeof(*fs));
	int err;

	if (!fs)
		return BD_FAIL(-ENOMEM, FS_NEW, "no memory for a filesystem");
	err = bd_volume_open(&fs->vol, paths, npaths, opts);
	if (err) {
		free(fs);
		return err;
	}
	fs->inodes.vol = &fs->vol;
	/* the other half of the limit is the node cache's */
	bd_rcache_init(&fs->inodes.ranges, opts->cache_bytes / 2);
	bd_reader_pool_init(&fs->readers, &fs->inodes);
	err = bd_subvol_default(fs, &fs->default_subvol);
	if (err) {
		bd_fs_close(fs);
		return err;
	}
	*out = fs;
	return 0;
}

void bd_fs_close(struct bdio_fs *fs)
{
	if (!fs)
		return;
	bd_reader_pool_fini(&fs->readers);
	bd_rcache_fini(&fs->inodes.ranges);
	bd_volume_close(&fs->vol);
	free(fs);
}
