/* SPDX-License-Identifier: MIT */
/* fs/extents.c - cursors over a file's extents, and stored checksums */
#include "fs/extents.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

struct bdio_extent_iter {
	struct bdio_file *file;
	uint64_t pos, end;
};

int bd_extent_iter_open(struct bdio_file *file, uint64_t offset, struct bdio_extent_iter **out)
{
	uint32_t sectorsize = file->fs->vol.super.sectorsize;
	struct bdio_extent_iter *iter = bd_zalloc(sizeof(*iter));

	if (!iter)
		return BD_FAIL(-ENOMEM, EXTENT_ITER, "no memory for a cursor");
	iter->file = file;
	iter->end = bd_align_up(file->inode.item.size, sectorsize);
	iter->pos = bd_align_down(offset, sectorsize);
	*out = iter;
	return 0;
}

void bd_extent_iter_close(struct bdio_extent_iter *iter)
{
	free(iter);
}

static void fill(const struct bdio_file *file, const struct bd_extent *e, struct bdio_extent *out)
{
	static const uint32_t types[] = {
		[BD_FILE_EXTENT_INLINE] = BDIO_EXTENT_INLINE,
		[BD_FILE_EXTENT_REG] = BDIO_EXTENT_DATA,
		[BD_FILE_EXTENT_PREALLOC] = BDIO_EXTENT_PREALLOC,
	};

	out->type = types[e->type];
	if (e->type == BD_FILE_EXTENT_REG && !e->disk_bytenr)
		out->type = BDIO_EXTENT_HOLE;
	if (out->type == BDIO_EXTENT_HOLE)
		return;
	out->logical = e->disk_bytenr;
	out->disk_length = e->disk_num_bytes;
	out->ram_bytes = e->ram_bytes;
	out->generation = e->generation;
	out->compression = e->compression;
	if (e->type != BD_FILE_EXTENT_INLINE)
		out->extent_offset = e->offset + (out->file_offset - e->file_offset);
	if (file->inode.item.flags & BD_INODE_NODATASUM)
		out->flags |= BDIO_EXTENT_NO_CSUM;
}

int bd_extent_iter_next(struct bdio_extent_iter *iter, struct bdio_extent *out)
{
	uint32_t sectorsize = iter->file->fs->vol.super.sectorsize;
	const struct bd_extent *extent = NULL;
	struct bd_extent_seg *seg;
	uint64_t end;
	uint32_t i;
	int err;

	if (iter->pos >= iter->end)
		return 0;
	err = bd_extent_seg_get(&iter->file->inode, iter->pos, &seg);
	if (err)
		return err;
	i = bd_extent_seg_find(seg, iter->pos, sectorsize);
	end = seg->range.end;
	if (i < seg->n && seg->extents[i].file_offset <= iter->pos) {
		extent = &seg->extents[i];
		end = bd_extent_end(extent, sectorsize);
	} else if (i < seg->n) {
		end = seg->extents[i].file_offset;
	}
	end = bd_min_u64(end, iter->end);
	memset(out, 0, sizeof(*out));
	out->file_offset = iter->pos;
	out->length = end - iter->pos;
	if (extent)
		fill(iter->file, extent, out);
	bd_range_put(&seg->range);
	iter->pos = end;
	return 1;
}

ssize_t bd_csum_get(struct bdio_fs *fs, uint64_t logical, size_t nsectors, void *csums,
		    uint8_t *present)
{
	const struct bd_super *super = &fs->vol.super;
	uint8_t *out = csums;
	ssize_t found = 0;
	size_t i = 0;

	while (i < nsectors) {
		struct bd_csum_win *win;
		uint64_t at = logical + (uint64_t)i * super->sectorsize;
		int err = bd_csum_win_get(&fs->inodes, at, &win);

		if (err)
			return err;
		for (; i < nsectors && at < win->range.end; i++, at += super->sectorsize) {
			const uint8_t *csum = bd_csum_of(win, super, at);

			if (csum)
				memcpy(out + i * super->csum_size, csum, super->csum_size);
			else
				memset(out + i * super->csum_size, 0, super->csum_size);
			if (present)
				present[i] = csum != NULL;
			found += csum != NULL;
		}
		bd_range_put(&win->range);
	}
	return found;
}
