/* SPDX-License-Identifier: MIT */
/* disk/features.h - the feature bits: names, and what the library reads, writes or refuses */
#ifndef BD_DISK_FEATURES_H
#define BD_DISK_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include "disk/super.h"

enum bd_feature_set { BD_FEATURE_COMPAT, BD_FEATURE_COMPAT_RO, BD_FEATURE_INCOMPAT };

struct bd_feature {
	enum bd_feature_set set;
	uint64_t bit;
	const char *name; /* as btrfs-progs and sysfs spell it */
	bool read;	  /* images with this bit are read */
	bool write;	  /* and written */
};

/* The table, *n entries. Static. */
const struct bd_feature *bd_features(size_t *n);

/*
 * Refuse what is not understood: an unknown or unread incompat bit; for @writable also an
 * unknown or unwritten compat_ro bit or an unwritten incompat bit; a missing MIXED_BACKREF
 * (the format of 2008). Unknown compat_ro bits allow reading.
 * Return: 0; -EOPNOTSUPP, all refused bits named in the message ("unknown incompat bit 0x..").
 */
int bd_features_check(const struct bd_super *super, bool writable);

/* Names of the set bits, separated by ',' ("0x..." for unknown ones), cut to @size. */
void bd_features_names(enum bd_feature_set set, uint64_t bits, char *buf, size_t size);

#endif
