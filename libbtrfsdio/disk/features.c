/* SPDX-License-Identifier: MIT */
/* disk/features.c - the table of feature bits and the questions that it answers */
#include "disk/features.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/err.h"

#define COMPAT_RO BD_FEATURE_COMPAT_RO
#define INCOMPAT  BD_FEATURE_INCOMPAT

/* There is no compat bit that anyone ever used. */
static const struct bd_feature features[] = {
	{COMPAT_RO, BD_COMPAT_RO_FREE_SPACE_TREE, "free-space-tree", true, true},
	{COMPAT_RO, BD_COMPAT_RO_FREE_SPACE_TREE_VALID, "free-space-tree-valid", true, true},
	{COMPAT_RO, BD_COMPAT_RO_VERITY, "verity", true, true},
	{COMPAT_RO, BD_COMPAT_RO_BLOCK_GROUP_TREE, "block-group-tree", true, true},
	{INCOMPAT, BD_INCOMPAT_MIXED_BACKREF, "mixed-backref", true, true},
	{INCOMPAT, BD_INCOMPAT_DEFAULT_SUBVOL, "default-subvol", true, true},
	{INCOMPAT, BD_INCOMPAT_MIXED_GROUPS, "mixed-bg", true, true},
	{INCOMPAT, BD_INCOMPAT_COMPRESS_LZO, "compress-lzo", true, true},
	{INCOMPAT, BD_INCOMPAT_COMPRESS_ZSTD, "compress-zstd", true, true},
	{INCOMPAT, BD_INCOMPAT_BIG_METADATA, "big-metadata", true, true},
	{INCOMPAT, BD_INCOMPAT_EXTENDED_IREF, "extref", true, true},
	{INCOMPAT, BD_INCOMPAT_RAID56, "raid56", true, true},
	{INCOMPAT, BD_INCOMPAT_SKINNY_METADATA, "skinny-metadata", true, true},
	{INCOMPAT, BD_INCOMPAT_NO_HOLES, "no-holes", true, true},
	{INCOMPAT, BD_INCOMPAT_METADATA_UUID, "metadata-uuid", true, true},
	{INCOMPAT, BD_INCOMPAT_RAID1C34, "raid1c34", true, true},
	{INCOMPAT, BD_INCOMPAT_ZONED, "zoned", false, false},
	{INCOMPAT, BD_INCOMPAT_EXTENT_TREE_V2, "extent-tree-v2", false, false},
	{INCOMPAT, BD_INCOMPAT_RAID_STRIPE_TREE, "raid-stripe-tree", false, false},
	{INCOMPAT, BD_INCOMPAT_SIMPLE_QUOTA, "simple-quota", true, false},
	{INCOMPAT, BD_INCOMPAT_REMAP_TREE, "remap-tree", false, false},
};
#define NUM_FEATURES (sizeof(features) / sizeof(features[0]))

/* A list of words that is cut, not overrun, when the buffer is full. */
struct words {
	char *buf;
	size_t size;
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void put(struct words *w, const char *fmt, ...)
{
	size_t room = w->size - w->len;
	va_list args;

	if (!room)
		return;
	va_start(args, fmt);
	size_t n = (size_t)vsnprintf(w->buf + w->len, room, fmt, args);
	va_end(args);
	w->len += n < room ? n : room - 1;
}

static const char *separator(const struct words *w, const char *text)
{
	return w->len ? text : "";
}

static uint64_t known_bits(enum bd_feature_set set)
{
	uint64_t known = 0;

	for (size_t i = 0; i < NUM_FEATURES; i++)
		known |= features[i].set == set ? features[i].bit : 0;
	return known;
}

static void put_unknown(struct words *w, const char *set_name, uint64_t bits)
{
	if (bits)
		put(w, "%sunknown %s bit%s 0x%" PRIx64, separator(w, ", "), set_name,
		    bits & (bits - 1) ? "s" : "", bits);
}

const struct bd_feature *bd_features(size_t *n)
{
	*n = NUM_FEATURES;
	return features;
}

int bd_features_check(const struct bd_super *super, bool writable)
{
	char text[BDIO_ERROR_MESSAGE_MAX] = "";
	struct words w = {text, sizeof(text), 0};

	if (!(super->incompat_flags & BD_INCOMPAT_MIXED_BACKREF))
		put(&w, "no mixed-backref (the disk format of 2008)");
	for (size_t i = 0; i < NUM_FEATURES; i++) {
		const struct bd_feature *f = &features[i];
		bool ro = f->set == COMPAT_RO;
		bool allowed = writable ? f->read && f->write : f->read || ro;

		if (!allowed && (f->bit & (ro ? super->compat_ro_flags : super->incompat_flags)))
			put(&w, "%s%s", separator(&w, ", "), f->name);
	}
	put_unknown(&w, "incompat", super->incompat_flags & ~known_bits(INCOMPAT));
	if (writable)
		put_unknown(&w, "compat_ro", super->compat_ro_flags & ~known_bits(COMPAT_RO));
	if (!w.len)
		return 0;
	return BD_FAIL(-EOPNOTSUPP, FEATURES, "unsupported features: %s", text);
}

void bd_features_names(enum bd_feature_set set, uint64_t bits, char *buf, size_t size)
{
	struct words w = {buf, size, 0};
	uint64_t unknown = bits & ~known_bits(set);

	put(&w, "%s", "");
	for (size_t i = 0; i < NUM_FEATURES; i++) {
		if (features[i].set == set && (features[i].bit & bits))
			put(&w, "%s%s", separator(&w, ","), features[i].name);
	}
	if (unknown)
		put(&w, "%s0x%" PRIx64, separator(&w, ","), unknown);
}
