/* SPDX-License-Identifier: MIT */
/* ops/dump.h - trees and superblocks as text */
#ifndef BD_OPS_DUMP_H
#define BD_OPS_DUMP_H

#include "btrfsdio/dump.h"
#include "disk/print.h"
#include "fs/fs.h"

int bd_dump_tree(struct bdio_fs *fs, uint64_t tree, const struct bd_printer *out);
int bd_dump_block(struct bdio_fs *fs, uint64_t logical, const struct bd_printer *out);
int bd_dump_all(struct bdio_fs *fs, const struct bd_printer *out);

#endif
