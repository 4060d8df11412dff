/* SPDX-License-Identifier: MIT */
/* disk/print_root.c - tree roots, the uuid index and quota groups as text */
#include "disk/print_priv.h"

static const struct bd_bit_name root_flags[] = {
	{BD_ROOT_SUBVOL_RDONLY, "RDONLY"}, {BD_ROOT_SUBVOL_DEAD, "DEAD"}, {0, NULL}};
static const struct bd_bit_name quota_flags[] = {
	{1, "ON"}, {2, "RESCAN"}, {4, "INCONSISTENT"}, {8, "SIMPLE"}, {0, NULL}};

static void print_root_v2(struct bd_text *t, const struct bd_disk_root_item *r)
{
	bd_text_put(t, "    generation_v2=%" PRIu64, bd_le64(r->generation_v2));
	bd_text_uuid(t, "uuid", r->uuid);
	bd_text_uuid(t, "parent_uuid", r->parent_uuid);
	bd_text_put(t, "\n   ");
	bd_text_uuid(t, "received_uuid", r->received_uuid);
	bd_text_put(t,
		    " ctransid=%" PRIu64 " otransid=%" PRIu64 " stransid=%" PRIu64
		    " rtransid=%" PRIu64 "\n   ",
		    bd_le64(r->ctransid), bd_le64(r->otransid), bd_le64(r->stransid),
		    bd_le64(r->rtransid));
	bd_text_time(t, "ctime", &r->ctime);
	bd_text_time(t, "otime", &r->otime);
	bd_text_time(t, "stime", &r->stime);
	bd_text_time(t, "rtime", &r->rtime);
	bd_text_put(t, "\n");
}

void bd_print_root_item(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_root_item *r = item->data;

	bd_text_put(t,
		    "    bytenr=%" PRIu64 " level=%u generation=%" PRIu64 " refs=%u dirid=%" PRIu64
		    " last_snapshot=%" PRIu64,
		    bd_le64(r->bytenr), r->level, bd_le64(r->generation), bd_le32(r->refs),
		    bd_le64(r->root_dirid), bd_le64(r->last_snapshot));
	bd_text_bits(t, "flags", bd_le64(r->flags), root_flags);
	bd_text_put(t, "\n    byte_limit=%" PRIu64 " bytes_used=%" PRIu64, bd_le64(r->byte_limit),
		    bd_le64(r->bytes_used));
	bd_text_key(t, "drop_progress", &r->drop_progress);
	bd_text_put(t, " drop_level=%u\n", r->drop_level);
	if (item->size == sizeof(*r))
		print_root_v2(t, r);
	bd_print_inode(t, &r->inode);
}

void bd_print_root_ref(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_root_ref *ref = item->data;

	bd_text_put(t, "    dirid=%" PRIu64 " sequence=%" PRIu64 " name=", bd_le64(ref->dirid),
		    bd_le64(ref->sequence));
	bd_text_quoted(t, ref + 1, bd_le16(ref->name_len));
	bd_text_put(t, "\n");
}

void bd_print_uuid_ids(struct bd_text *t, const struct bd_item_view *item)
{
	const le64 *id = item->data;

	bd_text_put(t, "    subvolumes");
	for (uint32_t i = 0; i < item->size / sizeof(*id); i++)
		bd_text_put(t, " %" PRIu64, bd_le64(id[i]));
	bd_text_put(t, "\n");
}

void bd_print_qgroup_status(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_qgroup_status *q = item->data;

	bd_text_put(t, "    version=%" PRIu64 " generation=%" PRIu64 " rescan=%" PRIu64,
		    bd_le64(q->version), bd_le64(q->generation), bd_le64(q->rescan));
	if (item->size == sizeof(*q))
		bd_text_put(t, " enable_gen=%" PRIu64, bd_le64(q->enable_gen));
	bd_text_bits(t, "flags", bd_le64(q->flags), quota_flags);
	bd_text_put(t, "\n");
}

void bd_print_qgroup_info(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_qgroup_info *q = item->data;

	bd_text_put(t,
		    "    generation=%" PRIu64 " referenced=%" PRIu64 " compressed=%" PRIu64
		    " exclusive=%" PRIu64 " compressed=%" PRIu64 "\n",
		    bd_le64(q->generation), bd_le64(q->rfer), bd_le64(q->rfer_cmpr),
		    bd_le64(q->excl), bd_le64(q->excl_cmpr));
}

void bd_print_qgroup_limit(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_qgroup_limit *q = item->data;

	bd_text_put(t,
		    "    flags=0x%" PRIx64 " max_referenced=%" PRIu64 " max_exclusive=%" PRIu64
		    " reserved_referenced=%" PRIu64 " reserved_exclusive=%" PRIu64 "\n",
		    bd_le64(q->flags), bd_le64(q->max_rfer), bd_le64(q->max_excl),
		    bd_le64(q->rsv_rfer), bd_le64(q->rsv_excl));
}
