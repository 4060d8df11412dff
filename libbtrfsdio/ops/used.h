/* SPDX-License-Identifier: MIT */
/* ops/used.h - which bytes of which device are in use */
#ifndef BD_OPS_USED_H
#define BD_OPS_USED_H

#include "btrfsdio/used.h"
#include "fs/fs.h"

int bd_used_open(struct bdio_fs *fs, uint64_t devid, struct bdio_used_iter **out);
int bd_used_next(struct bdio_used_iter *iter, struct bdio_used *out);
void bd_used_close(struct bdio_used_iter *iter);

#endif
