/* SPDX-License-Identifier: MIT */
/* disk/print_device.c - devices, chunks, replacement and balance as text */
#include "disk/chunk_item.h"
#include "disk/print_priv.h"

void bd_print_dev_item(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_dev_item *d = item->data;

	bd_text_put(t,
		    "    devid=%" PRIu64 " total_bytes=%" PRIu64 " bytes_used=%" PRIu64
		    " type=%" PRIu64 " generation=%" PRIu64 " start_offset=%" PRIu64 "\n",
		    bd_le64(d->devid), bd_le64(d->total_bytes), bd_le64(d->bytes_used),
		    bd_le64(d->type), bd_le64(d->generation), bd_le64(d->start_offset));
	bd_text_put(t,
		    "    io_align=%u io_width=%u sector_size=%u dev_group=%u seek_speed=%u"
		    " bandwidth=%u\n   ",
		    bd_le32(d->io_align), bd_le32(d->io_width), bd_le32(d->sector_size),
		    bd_le32(d->dev_group), d->seek_speed, d->bandwidth);
	bd_text_uuid(t, "uuid", d->uuid);
	bd_text_uuid(t, "fsid", d->fsid);
	bd_text_put(t, "\n");
}

void bd_print_dev_extent(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_dev_extent *d = item->data;

	bd_text_put(t,
		    "    length=%" PRIu64 " chunk_offset=%" PRIu64 " chunk_objectid=%" PRIu64
		    " chunk_tree=%" PRIu64,
		    bd_le64(d->length), bd_le64(d->chunk_offset), bd_le64(d->chunk_objectid),
		    bd_le64(d->chunk_tree));
	bd_text_uuid(t, "chunk_tree_uuid", d->chunk_tree_uuid);
	bd_text_put(t, "\n");
}

void bd_print_chunk(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_chunk *c = item->data;
	struct bd_chunk_item_stripe stripe;

	bd_text_put(t, "    length=%" PRIu64 " owner=%" PRIu64 " stripe_len=%" PRIu64,
		    bd_le64(c->length), bd_le64(c->owner), bd_le64(c->stripe_len));
	bd_text_group_type(t, "type", bd_le64(c->type));
	bd_text_put(t, " io_align=%u io_width=%u sector_size=%u stripes=%u sub_stripes=%u\n",
		    bd_le32(c->io_align), bd_le32(c->io_width), bd_le32(c->sector_size),
		    bd_le16(c->num_stripes), bd_le16(c->sub_stripes));
	for (unsigned int i = 0; i < bd_le16(c->num_stripes); i++) {
		bd_chunk_item_stripe(item->data, i, &stripe);
		bd_text_put(t, "    stripe %u devid=%" PRIu64 " physical=%" PRIu64, i, stripe.devid,
			    stripe.physical);
		bd_text_uuid(t, "dev_uuid", stripe.dev_uuid);
		bd_text_put(t, "\n");
	}
}

void bd_print_dev_stats(struct bd_text *t, const struct bd_item_view *item)
{
	static const char *const names[BD_DEV_STATS_VALUES] = {"write", "read", "flush",
							       "corruption", "generation"};
	const le64 *values = item->data;

	bd_text_put(t, "    errors");
	for (uint32_t i = 0; i < BD_DEV_STATS_VALUES && (i + 1) * sizeof(le64) <= item->size; i++)
		bd_text_put(t, " %s=%" PRIu64, names[i], bd_le64(values[i]));
	bd_text_put(t, "\n");
}

void bd_print_dev_replace(struct bd_text *t, const struct bd_item_view *item)
{
	static const char *const states[] = {"never", "started", "finished", "canceled",
					     "suspended"};
	const struct bd_disk_dev_replace *r = item->data;
	uint64_t state = bd_le64(r->state);

	bd_text_put(t,
		    "    state=%s source=%" PRIu64 " cursor_left=%" PRIu64 " cursor_right=%" PRIu64
		    " mode=%" PRIu64 "\n",
		    state < 5 ? states[state] : "unknown", bd_le64(r->src_devid),
		    bd_le64(r->cursor_left), bd_le64(r->cursor_right),
		    bd_le64(r->cont_reading_from_src));
	bd_text_put(t,
		    "    started=%" PRIu64 " stopped=%" PRIu64 " write_errors=%" PRIu64
		    " uncorrectable_read_errors=%" PRIu64 "\n",
		    bd_le64(r->time_started), bd_le64(r->time_stopped), bd_le64(r->write_errors),
		    bd_le64(r->uncorrectable_read_errors));
}

static void print_balance_args(struct bd_text *t, const char *name,
			       const struct bd_disk_balance_args *a)
{
	bd_text_put(t,
		    "    %s flags=0x%" PRIx64 " profiles=0x%" PRIx64 " target=0x%" PRIx64
		    " usage=%" PRIu64 " devid=%" PRIu64,
		    name, bd_le64(a->flags), bd_le64(a->profiles), bd_le64(a->target),
		    bd_le64(a->usage), bd_le64(a->devid));
	bd_text_put(t,
		    " physical=%" PRIu64 "..%" PRIu64 " logical=%" PRIu64 "..%" PRIu64
		    " limit=%" PRIu64 " stripes=%u..%u\n",
		    bd_le64(a->pstart), bd_le64(a->pend), bd_le64(a->vstart), bd_le64(a->vend),
		    bd_le64(a->limit), bd_le32(a->stripes_min), bd_le32(a->stripes_max));
}

void bd_print_balance(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_balance *b = item->data;

	bd_text_put(t, "    balance flags=0x%" PRIx64 "\n", bd_le64(b->flags));
	print_balance_args(t, "data", &b->data);
	print_balance_args(t, "metadata", &b->meta);
	print_balance_args(t, "system", &b->sys);
}
