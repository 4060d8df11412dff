/* SPDX-License-Identifier: MIT */
/* api/api_ops.c - btrfsdio/used.h, changed.h, dump.h */
#include "api/args.h"
#include "ops/changed.h"
#include "ops/dump.h"
#include "ops/used.h"

int bdio_used_open(struct bdio_fs *fs, uint64_t devid, struct bdio_used_iter **out)
{
	return out ? bd_used_open(fs, devid, out) : BD_EINVAL(USED_OPEN_ARGS, "NULL");
}

int bdio_used_next(struct bdio_used_iter *iter, struct bdio_used *out)
{
	return out ? bd_used_next(iter, out) : BD_EINVAL(USED_NEXT_ARGS, "NULL");
}

void bdio_used_close(struct bdio_used_iter *iter)
{
	bd_used_close(iter);
}

int bdio_changed_open(struct bdio_fs *fs, uint64_t subvol, uint64_t since,
		      struct bdio_changed_iter **out)
{
	if (!out)
		return BD_EINVAL(CHANGED_OPEN_ARGS, "NULL");
	return bd_changed_open(fs, subvol, since, out);
}

int bdio_changed_next(struct bdio_changed_iter *iter, struct bdio_changed *out)
{
	return out ? bd_changed_next(iter, out) : BD_EINVAL(CHANGED_NEXT_ARGS, "NULL");
}

void bdio_changed_close(struct bdio_changed_iter *iter)
{
	bd_changed_close(iter);
}

int bdio_dump_super(struct bdio_fs *fs, bdio_dump_write write, void *priv)
{
	struct bd_printer out = {.write = write, .priv = priv};

	return write ? bd_print_super(&out, &fs->vol.super) : BD_EINVAL(DUMP_SUPER_ARGS, "NULL");
}

int bdio_dump_tree(struct bdio_fs *fs, uint64_t tree, bdio_dump_write write, void *priv)
{
	struct bd_printer out = {.write = write, .priv = priv};

	return write ? bd_dump_tree(fs, tree, &out) : BD_EINVAL(DUMP_TREE_ARGS, "NULL");
}

int bdio_dump_block(struct bdio_fs *fs, uint64_t logical, bdio_dump_write write, void *priv)
{
	struct bd_printer out = {.write = write, .priv = priv};

	return write ? bd_dump_block(fs, logical, &out) : BD_EINVAL(DUMP_BLOCK_ARGS, "NULL");
}

int bdio_dump_all(struct bdio_fs *fs, bdio_dump_write write, void *priv)
{
	struct bd_printer out = {.write = write, .priv = priv};

	return write ? bd_dump_all(fs, &out) : BD_EINVAL(DUMP_ALL_ARGS, "NULL");
}
