/* SPDX-License-Identifier: MIT */
/* disk/print_super.c - a superblock as text */
#include <string.h>
#include "disk/chunk_item.h"
#include "disk/csum.h"
#include "disk/features.h"
#include "disk/print_priv.h"

static const struct bd_bit_name super_flags[] = {
	{BD_HEADER_FLAG_WRITTEN, "WRITTEN"},
	{BD_HEADER_FLAG_RELOC, "RELOC"},
	{BD_SUPER_FLAG_ERROR, "ERROR"},
	{BD_SUPER_FLAG_SEEDING, "SEEDING"},
	{BD_SUPER_FLAG_METADUMP, "METADUMP"},
	{BD_SUPER_FLAG_METADUMP_V2, "METADUMP_V2"},
	{BD_SUPER_FLAG_CHANGING_FSID, "CHANGING_FSID"},
	{BD_SUPER_FLAG_CHANGING_FSID_V2, "CHANGING_FSID_V2"},
	{BD_SUPER_FLAG_CHANGING_BG_TREE, "CHANGING_BG_TREE"},
	{BD_SUPER_FLAG_CHANGING_DATA_CSUM, "CHANGING_DATA_CSUM"},
	{BD_SUPER_FLAG_CHANGING_META_CSUM, "CHANGING_META_CSUM"},
	{0, NULL},
};

static void print_identity(struct bd_text *t, const struct bd_super *s)
{
	bd_text_put(t, "super %" PRIu64 " generation=%" PRIu64 " csum=%s", s->bytenr, s->generation,
		    bd_csum_name(s->csum_type));
	bd_text_bits(t, "flags", s->flags, super_flags);
	bd_text_put(t, " label=");
	bd_text_quoted(t, s->label, strlen(s->label));
	bd_text_put(t, "\n ");
	bd_text_uuid(t, "fsid", s->fsid);
	bd_text_uuid(t, "metadata_uuid", s->metadata_uuid);
	bd_text_put(t, "\n");
}

static void print_sizes(struct bd_text *t, const struct bd_super *s)
{
	bd_text_put(t,
		    "  total_bytes=%" PRIu64 " bytes_used=%" PRIu64 " num_devices=%" PRIu64
		    " sectorsize=%u nodesize=%u stripesize=%u\n",
		    s->total_bytes, s->bytes_used, s->num_devices, s->sectorsize, s->nodesize,
		    s->stripesize);
	bd_text_put(t,
		    "  root_dir=%" PRIu64 " cache_generation=%" PRIu64
		    " uuid_tree_generation=%" PRIu64 " sys_chunk_array_size=%u\n",
		    s->root_dir_objectid, s->cache_generation, s->uuid_tree_generation,
		    s->sys_chunk_array_size);
}

static void print_features(struct bd_text *t, const char *name, enum bd_feature_set set,
			   uint64_t bits)
{
	char names[400];

	bd_features_names(set, bits, names, sizeof(names));
	bd_text_put(t, "  %s=%s\n", name, names);
}

static void print_root(struct bd_text *t, const char *name, const struct bd_super_root *root)
{
	bd_text_put(t, " %s=%" PRIu64 " level=%u generation=%" PRIu64 "\n", name, root->bytenr,
		    root->level, root->generation);
}

static void print_device(struct bd_text *t, const struct bd_super_dev *d)
{
	bd_text_put(t,
		    "  device %" PRIu64 " total_bytes=%" PRIu64 " bytes_used=%" PRIu64
		    " type=%" PRIu64 " generation=%" PRIu64 " start_offset=%" PRIu64 "\n   ",
		    d->devid, d->total_bytes, d->bytes_used, d->type, d->generation,
		    d->start_offset);
	bd_text_put(t,
		    " io_align=%u io_width=%u sector_size=%u dev_group=%u seek_speed=%u"
		    " bandwidth=%u\n   ",
		    d->io_align, d->io_width, d->sector_size, d->dev_group, d->seek_speed,
		    d->bandwidth);
	bd_text_uuid(t, "uuid", d->uuid);
	bd_text_uuid(t, "fsid", d->fsid);
	bd_text_put(t, "\n");
}

static void print_sys_chunks(struct bd_text *t, const struct bd_super *s)
{
	struct bd_chunk_item chunk;
	const void *data;
	uint32_t pos = 0;
	size_t size;
	int more;

	while ((more = bd_sys_chunk_next(s, &pos, &chunk, &data, &size)) > 0) {
		struct bd_item_view item = {
			s, bd_key(BD_OBJ_FIRST_CHUNK_TREE, BD_KEY_CHUNK_ITEM, chunk.logical), data,
			(uint32_t)size};
		char text[BD_KEY_TEXT_MAX];

		bd_text_put(t, "  %s\n", bd_key_text(&item.key, text));
		bd_print_chunk(t, &item);
	}
	if (more < 0)
		bd_text_put(t, "  sys_chunk_array is damaged at byte %u\n", pos);
}

static void print_backup(struct bd_text *t, unsigned int i, const struct bd_super_backup *b)
{
	bd_text_put(t,
		    "  backup %u total_bytes=%" PRIu64 " bytes_used=%" PRIu64
		    " num_devices=%" PRIu64 "\n",
		    i, b->total_bytes, b->bytes_used, b->num_devices);
	bd_text_put(t, "   ");
	print_root(t, "root", &b->tree);
	bd_text_put(t, "   ");
	print_root(t, "chunk_root", &b->chunk);
	bd_text_put(t, "   ");
	print_root(t, "extent_root", &b->extent);
	bd_text_put(t, "   ");
	print_root(t, "fs_root", &b->fs);
	bd_text_put(t, "   ");
	print_root(t, "dev_root", &b->dev);
	bd_text_put(t, "   ");
	print_root(t, "csum_root", &b->csum);
}

int bd_print_super(const struct bd_printer *out, const struct bd_super *super)
{
	struct bd_text t = {out, 0};

	print_identity(&t, super);
	print_sizes(&t, super);
	print_features(&t, "compat", BD_FEATURE_COMPAT, super->compat_flags);
	print_features(&t, "compat_ro", BD_FEATURE_COMPAT_RO, super->compat_ro_flags);
	print_features(&t, "incompat", BD_FEATURE_INCOMPAT, super->incompat_flags);
	bd_text_put(&t, " ");
	print_root(&t, "root", &super->root);
	bd_text_put(&t, " ");
	print_root(&t, "chunk_root", &super->chunk_root);
	bd_text_put(&t, " ");
	print_root(&t, "log_root", &super->log_root);
	print_device(&t, &super->dev);
	print_sys_chunks(&t, super);
	for (unsigned int i = 0; i < BD_NUM_BACKUP_ROOTS; i++)
		print_backup(&t, i, &super->backup[i]);
	return t.err < 0 ? t.err : 0;
}
