/* SPDX-License-Identifier: MIT */
/* disk/print_inode.c - items of inodes as text */
#include "disk/csum.h"
#include "disk/print_priv.h"

static const struct bd_bit_name inode_flags[] = {
	{BD_INODE_NODATASUM, "NODATASUM"},
	{BD_INODE_NODATACOW, "NODATACOW"},
	{BD_INODE_READONLY, "READONLY"},
	{BD_INODE_NOCOMPRESS, "NOCOMPRESS"},
	{BD_INODE_PREALLOC, "PREALLOC"},
	{BD_INODE_SYNC, "SYNC"},
	{BD_INODE_IMMUTABLE, "IMMUTABLE"},
	{BD_INODE_APPEND, "APPEND"},
	{BD_INODE_NODUMP, "NODUMP"},
	{BD_INODE_NOATIME, "NOATIME"},
	{BD_INODE_DIRSYNC, "DIRSYNC"},
	{BD_INODE_COMPRESS, "COMPRESS"},
	{BD_INODE_ROOT_ITEM_INIT, "ROOT_ITEM_INIT"},
	{BD_INODE_RO_VERITY, "VERITY"},
	{0, NULL},
};

static const char *const file_types[] = {"unknown", "file",   "dir",  "chrdev", "blkdev",
					 "fifo",    "socket", "link", "xattr"};
static const char *const extent_types[] = {"inline", "regular", "prealloc"};
static const char *const compressions[] = {"none", "zlib", "lzo", "zstd"};

void bd_print_inode(struct bd_text *t, const struct bd_disk_inode_item *i)
{
	bd_text_put(t,
		    "    inode generation=%" PRIu64 " transid=%" PRIu64 " size=%" PRIu64
		    " nbytes=%" PRIu64 " block_group=%" PRIu64 "\n",
		    bd_le64(i->generation), bd_le64(i->transid), bd_le64(i->size),
		    bd_le64(i->nbytes), bd_le64(i->block_group));
	bd_text_put(t, "    mode=0%o nlink=%u uid=%u gid=%u rdev=0x%" PRIx64 " sequence=%" PRIu64,
		    bd_le32(i->mode), bd_le32(i->nlink), bd_le32(i->uid), bd_le32(i->gid),
		    bd_le64(i->rdev), bd_le64(i->sequence));
	bd_text_bits(t, "flags", bd_le64(i->flags), inode_flags);
	bd_text_put(t, "\n   ");
	bd_text_time(t, "atime", &i->atime);
	bd_text_time(t, "ctime", &i->ctime);
	bd_text_time(t, "mtime", &i->mtime);
	bd_text_time(t, "otime", &i->otime);
	bd_text_put(t, "\n");
}

void bd_print_inode_item(struct bd_text *t, const struct bd_item_view *item)
{
	bd_print_inode(t, item->data);
}

void bd_print_inode_ref(struct bd_text *t, const struct bd_item_view *item)
{
	const uint8_t *p = item->data, *end = p + item->size;

	while (p < end) {
		const struct bd_disk_inode_ref *ref = (const void *)p;
		uint32_t len = bd_le16(ref->name_len);

		bd_text_put(t, "    index=%" PRIu64 " name=", bd_le64(ref->index));
		bd_text_quoted(t, ref + 1, len);
		bd_text_put(t, "\n");
		p += sizeof(*ref) + len;
	}
}

void bd_print_inode_extref(struct bd_text *t, const struct bd_item_view *item)
{
	const uint8_t *p = item->data, *end = p + item->size;

	while (p < end) {
		const struct bd_disk_inode_extref *ref = (const void *)p;
		uint32_t len = bd_le16(ref->name_len);

		bd_text_put(t,
			    "    parent=%" PRIu64 " index=%" PRIu64 " name=", bd_le64(ref->parent),
			    bd_le64(ref->index));
		bd_text_quoted(t, ref + 1, len);
		bd_text_put(t, "\n");
		p += sizeof(*ref) + len;
	}
}

static void print_dir_entry(struct bd_text *t, const struct bd_disk_dir_item *entry)
{
	uint32_t name_len = bd_le16(entry->name_len);
	uint32_t data_len = bd_le16(entry->data_len);
	uint8_t type = entry->type & (uint8_t)~BD_FT_ENCRYPTED;

	bd_text_put(t, "   ");
	bd_text_key(t, "location", &entry->location);
	bd_text_put(t, " type=%s%s transid=%" PRIu64 " name=", file_types[type],
		    entry->type == type ? "" : "|encrypted", bd_le64(entry->transid));
	bd_text_quoted(t, entry + 1, name_len);
	if (type == BD_FT_XATTR) {
		bd_text_put(t, " value=");
		bd_text_quoted(t, (const uint8_t *)(entry + 1) + name_len, data_len);
	}
	bd_text_put(t, "\n");
}

void bd_print_dir_entries(struct bd_text *t, const struct bd_item_view *item)
{
	const uint8_t *p = item->data, *end = p + item->size;

	while (p < end) {
		const struct bd_disk_dir_item *entry = (const void *)p;
		uint32_t len = (uint32_t)sizeof(*entry) + bd_le16(entry->name_len) +
			       bd_le16(entry->data_len);

		print_dir_entry(t, entry);
		p += len;
	}
}

void bd_print_file_extent(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_file_extent *fe = item->data;

	bd_text_put(t, "    %s compression=%s generation=%" PRIu64 " ram_bytes=%" PRIu64,
		    extent_types[fe->type], compressions[fe->compression], bd_le64(fe->generation),
		    bd_le64(fe->ram_bytes));
	if (fe->type == BD_FILE_EXTENT_INLINE)
		bd_text_put(t, " inline_bytes=%u\n", item->size - BD_FILE_EXTENT_INLINE_HDR);
	else
		bd_text_put(t,
			    " disk_bytenr=%" PRIu64 " disk_num_bytes=%" PRIu64 " offset=%" PRIu64
			    " num_bytes=%" PRIu64 "%s\n",
			    bd_le64(fe->disk_bytenr), bd_le64(fe->disk_num_bytes),
			    bd_le64(fe->offset), bd_le64(fe->num_bytes),
			    bd_le64(fe->disk_bytenr) ? "" : " hole");
}

void bd_print_csums(struct bd_text *t, const struct bd_item_view *item)
{
	const uint8_t *csum = item->data;
	uint32_t n = item->size / item->super->csum_size;
	uint32_t per_line = BD_CSUM_SIZE / item->super->csum_size;

	bd_text_put(t, "    %u %s of logical %" PRIu64 " to %" PRIu64, n,
		    bd_csum_name(item->super->csum_type), item->key.offset,
		    item->key.offset + (uint64_t)n * item->super->sectorsize);
	for (uint32_t i = 0; i < n && t->err >= 0; i++) {
		bd_text_put(t, i % per_line ? " " : "\n    ");
		bd_text_hex(t, csum + (size_t)i * item->super->csum_size, item->super->csum_size);
	}
	bd_text_put(t, "\n");
}

void bd_print_verity_desc(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_verity_descriptor *d = item->data;

	if (item->key.offset)
		bd_text_put(t, "    part of the descriptor, %u bytes\n", item->size);
	else
		bd_text_put(t, "    size=%" PRIu64 " encryption=%u\n", bd_le64(d->size),
			    d->encryption);
}

void bd_print_dir_log(struct bd_text *t, const struct bd_item_view *item)
{
	const le64 *end = item->data;

	bd_text_put(t, "    end=%" PRIu64 "\n", bd_le64(*end));
}
