/* SPDX-License-Identifier: MIT */
/* dio/hints.c - a reader's own short cuts into the shared caches */
#include "dio/piece.h"

static bool covers(const struct bd_range *range, uint64_t a, uint64_t b, uint64_t pos)
{
	return range->a == a && range->b == b && range->start <= pos && pos < range->end;
}

int bd_hint_seg(struct bd_reader *rd, const struct bd_inode *inode, uint64_t pos,
		struct bd_extent_seg **out)
{
	struct bd_extent_seg **hint =
		&rd->hints.segs[(inode->ino + (pos >> BD_HINT_SEG_SHIFT)) % BD_HINT_SEGS];
	int err;

	if (!*hint || !covers(&(*hint)->range, inode->tree.id, inode->ino, pos)) {
		err = bd_extent_seg_get(inode, pos, out);
		if (err)
			return err;
		if (*hint)
			bd_range_put(&(*hint)->range);
		*hint = *out;
	}
	*out = *hint;
	bd_range_ref(&(*out)->range);
	return 0;
}

int bd_hint_win(struct bd_reader *rd, uint64_t logical, struct bd_csum_win **out)
{
	uint64_t bytes = bd_csum_win_span(&rd->inodes->vol->super);
	struct bd_csum_win **hint = &rd->hints.wins[logical / bytes % BD_HINT_WINS];
	int err;

	if (!*hint || logical < (*hint)->range.start || logical >= (*hint)->range.end) {
		err = bd_csum_win_get(rd->inodes, logical, out);
		if (err)
			return err;
		if (*hint)
			bd_range_put(&(*hint)->range);
		*hint = *out;
	}
	*out = *hint;
	bd_range_ref(&(*out)->range);
	return 0;
}

void bd_hints_drop(struct bd_hints *hints)
{
	for (unsigned int i = 0; i < BD_HINT_SEGS; i++) {
		if (hints->segs[i])
			bd_range_put(&hints->segs[i]->range);
	}
	for (unsigned int i = 0; i < BD_HINT_WINS; i++) {
		if (hints->wins[i])
			bd_range_put(&hints->wins[i]->range);
	}
}
