/* SPDX-License-Identifier: MIT */
/* fuzz/walk.h - call everything that reads a filesystem, within bounds */
#ifndef BD_FUZZ_WALK_H
#define BD_FUZZ_WALK_H

#include "btrfsdio/fs.h"

/* Aborts when a result breaks what the headers promise. */
void walk_everything(struct bdio_fs *fs);

#endif
