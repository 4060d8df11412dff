/* SPDX-License-Identifier: MIT */
/* btrfsdio/dump.h - trees and superblocks as text, for people who debug; the text is no interface
 */
#ifndef BTRFSDIO_DUMP_H
#define BTRFSDIO_DUMP_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Receives text in pieces, not terminated; a negative return ends the dump, which returns it. */
typedef int (*bdio_dump_write)(void *priv, const char *text, size_t len);

/* The superblock that is used. */
BDIO_API int bdio_dump_super(struct bdio_fs *fs, bdio_dump_write write, void *priv);
/* One tree, by its objectid (1 root, 3 chunk, 5 top level, ...), all nodes and items, in key order.
 * A damaged branch is named in the text and skipped. Return: 0; 1 something was damaged; -ENOENT;
 * -errno. */
BDIO_API int bdio_dump_tree(struct bdio_fs *fs, uint64_t tree, bdio_dump_write write, void *priv);
/* One tree block by its logical address. */
BDIO_API int bdio_dump_block(struct bdio_fs *fs, uint64_t logical, bdio_dump_write write,
			     void *priv);
/* All trees: root, chunk, then every tree that the root tree names. Return as bdio_dump_tree(). */
BDIO_API int bdio_dump_all(struct bdio_fs *fs, bdio_dump_write write, void *priv);

#ifdef __cplusplus
}
#endif
#endif
