/* SPDX-License-Identifier: MIT */
/* ops/changed.h - what changed in a subvolume since a generation */
#ifndef BD_OPS_CHANGED_H
#define BD_OPS_CHANGED_H

#include "btrfsdio/changed.h"
#include "fs/fs.h"

int bd_changed_open(struct bdio_fs *fs, uint64_t subvol, uint64_t since,
		    struct bdio_changed_iter **out);
int bd_changed_next(struct bdio_changed_iter *iter, struct bdio_changed *out);
void bd_changed_close(struct bdio_changed_iter *iter);

#endif
