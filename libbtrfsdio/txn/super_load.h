/* SPDX-License-Identifier: MIT */
/* txn/super_load.h - choose a superblock among a device's copies */
#ifndef BD_TXN_SUPER_LOAD_H
#define BD_TXN_SUPER_LOAD_H

#include "btrfsdio/info.h"
#include "dev/dev.h"
#include "disk/super.h"

/* A device that was opened, before it is known whether it is a member. */
struct bd_candidate {
	struct bd_dev *dev; /* NULL: taken over by a member */
	struct bd_super super;
	unsigned int copy; /* 0..2 that @super came from */
	uint32_t remarks;  /* BDIO_SUPER_* */
};

/*
 * Read the copies of candidate->dev and fill in the rest. A valid primary is used whatever the
 * copies say; without one the newest valid copy. @only: 0, or the one copy to look at, counted
 * from 1. Return: 0; -EUCLEAN no usable superblock (reported); -EIO.
 */
int bd_super_load(struct bd_candidate *candidate, unsigned int only);

#endif
