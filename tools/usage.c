/* SPDX-License-Identifier: MIT */
/* tools/usage.c - chunks added up by type and profile */
#include "usage.h"

static struct usage_line *line_of(struct usage *usage, uint64_t flags)
{
	size_t i = 0;

	while (i < usage->count && usage->lines[i].flags != flags)
		i++;
	if (i == USAGE_MAX)
		return &usage->lines[USAGE_MAX - 1];
	if (i == usage->count) {
		usage->lines[i].flags = flags;
		usage->count++;
	}
	return &usage->lines[i];
}

int usage_collect(struct bdio_fs *fs, struct usage *out)
{
	struct bdio_chunk_info chunk;

	*out = (struct usage){0};
	for (size_t i = 0; i < bdio_chunk_count(fs); i++) {
		int err = bdio_chunk_get_info(fs, i, &chunk);
		if (err)
			return err;
		struct usage_line *line = line_of(out, chunk.flags);
		uint64_t stripe = chunk.data_stripes ? chunk.length / chunk.data_stripes : 0;
		line->chunks++;
		line->length += chunk.length;
		line->raw += stripe * chunk.num_stripes;
		if (chunk.used != UINT64_MAX)
			line->used += chunk.used;
	}
	return 0;
}
