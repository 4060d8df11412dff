/* SPDX-License-Identifier: MIT */
/* btrfsdio/btrfsdio.h - everything */
#ifndef BTRFSDIO_BTRFSDIO_H
#define BTRFSDIO_BTRFSDIO_H

#include "btrfsdio/predef.h"
#include "btrfsdio/error.h"
#include "btrfsdio/device.h"
#include "btrfsdio/fs.h"
#include "btrfsdio/info.h"
#include "btrfsdio/subvol.h"
#include "btrfsdio/inode.h"
#include "btrfsdio/dir.h"
#include "btrfsdio/file.h"
#include "btrfsdio/extent.h"
#include "btrfsdio/queue.h"
#include "btrfsdio/used.h"
#include "btrfsdio/changed.h"
#include "btrfsdio/extract.h"
#include "btrfsdio/dump.h"

#endif
