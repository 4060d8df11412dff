/* SPDX-License-Identifier: MIT */
/* dev/scan.c - find the block devices of one filesystem */
#include "dev/inuse.h"

#include <blkid/blkid.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>
#include "base/err.h"
#include "base/mem.h"

struct found {
	char **paths;
	size_t n, cap;
};

static void found_free(struct found *found)
{
	for (size_t i = 0; i < found->n; i++)
		free(found->paths[i]);
	free(found->paths);
}

static int found_add(struct found *found, const char *path)
{
	int err = bd_array_grow((void **)&found->paths, &found->cap, found->n + 1,
				sizeof(*found->paths));
	char *copy = err ? NULL : strdup(path);
	if (!copy)
		return BD_FAIL(-ENOMEM, SCAN_PATH, "no memory for the path %s", path);
	found->paths[found->n++] = copy;
	return 0;
}

static int collect(blkid_cache cache, const char *uuid, struct found *found)
{
	int err = 0;
	blkid_dev dev;
	blkid_dev_iterate iter = blkid_dev_iterate_begin(cache);
	if (!iter || blkid_dev_set_search(iter, "UUID", uuid)) {
		err = BD_FAIL(-ENOMEM, SCAN_ITERATE, "no memory to search for %s", uuid);
		goto out;
	}
	while (!err && !blkid_dev_next(iter, &dev)) {
		/* Verified: what the probing of a moment ago found may belong to a device that is
		 * gone. */
		dev = blkid_verify(cache, dev);
		if (dev && blkid_dev_has_tag(dev, "TYPE", "btrfs"))
			err = found_add(found, blkid_dev_devname(dev));
	}
out:
	if (iter)
		blkid_dev_iterate_end(iter);
	return err;
}

int bd_scan_members(const uint8_t fsid[16], char ***paths, size_t *n)
{
	char uuid[37];
	blkid_cache cache;
	struct found found = {0};

	uuid_unparse_lower(fsid, uuid);
	/* An empty cache: the system's one may be old, and this one is never written. */
	if (blkid_get_cache(&cache, "/dev/null"))
		return BD_FAIL(-ENOMEM, SCAN_CACHE, "cannot set up libblkid");
	int err = blkid_probe_all(cache)
			  ? BD_FAIL(-EIO, SCAN_PROBE, "cannot probe the block devices")
			  : collect(cache, uuid, &found);
	blkid_put_cache(cache);
	if (err) {
		found_free(&found);
		return err;
	}
	*paths = found.paths;
	*n = found.n;
	return 0;
}
