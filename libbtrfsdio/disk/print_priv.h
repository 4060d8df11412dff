/* SPDX-License-Identifier: MIT */
/* disk/print_priv.h - what the printers share: a text sink that remembers its first error */
#ifndef BD_DISK_PRINT_PRIV_H
#define BD_DISK_PRINT_PRIV_H

#include <inttypes.h>
#include "disk/print.h"

/* After a failed write everything else is skipped, so callers look at err once, at the end. */
struct bd_text {
	const struct bd_printer *out;
	int err;
};

void bd_text_put(struct bd_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* In double quotes; what is not printable ASCII as \xNN. */
void bd_text_quoted(struct bd_text *t, const void *bytes, size_t len);
void bd_text_hex(struct bd_text *t, const void *bytes, size_t len);
void bd_text_uuid(struct bd_text *t, const char *name, const uint8_t uuid[BD_UUID_SIZE]);
/* " name=key" */
void bd_text_key(struct bd_text *t, const char *name, const struct bd_disk_key *key);
/* " name=tree": by name where there is one */
void bd_text_tree(struct bd_text *t, const char *name, uint64_t objectid);

/* " name=seconds.nanoseconds" */
void bd_text_time(struct bd_text *t, const char *name, const struct bd_disk_timespec *time);
/* " name=DATA|RAID1" */
void bd_text_group_type(struct bd_text *t, const char *name, uint64_t flags);

struct bd_bit_name {
	uint64_t bit;
	const char *name;
};

/* "A|B|0x40": names of the bits in a table that ends with bit 0, the rest in hex; @size > 0 */
size_t bd_bits_text(uint64_t bits, const struct bd_bit_name *names, char *buf, size_t size);
/* " name=A|B|0x40" */
void bd_text_bits(struct bd_text *t, const char *name, uint64_t bits,
		  const struct bd_bit_name *names);

/* A checked item; its key is printed already. */
struct bd_item_view {
	const struct bd_super *super;
	struct bd_key key;
	const void *data;
	uint32_t size;
};

/* Prints the fields of an item in indented lines. */
typedef void bd_item_printer(struct bd_text *t, const struct bd_item_view *item);

/* print_inode.c */
bd_item_printer bd_print_inode_item;
bd_item_printer bd_print_inode_ref;
bd_item_printer bd_print_inode_extref;
bd_item_printer bd_print_dir_entries;
bd_item_printer bd_print_file_extent;
bd_item_printer bd_print_csums;
bd_item_printer bd_print_verity_desc;
bd_item_printer bd_print_dir_log;
/* The fields of an inode on their own or at the head of a root item. */
void bd_print_inode(struct bd_text *t, const struct bd_disk_inode_item *inode);

/* print_extent.c */
bd_item_printer bd_print_extent_item;
bd_item_printer bd_print_data_refs;
bd_item_printer bd_print_shared_data_ref;
bd_item_printer bd_print_block_group;
bd_item_printer bd_print_free_space_info;
bd_item_printer bd_print_space_cache;

/* print_root.c */
bd_item_printer bd_print_root_item;
bd_item_printer bd_print_root_ref;
bd_item_printer bd_print_uuid_ids;
bd_item_printer bd_print_qgroup_status;
bd_item_printer bd_print_qgroup_info;
bd_item_printer bd_print_qgroup_limit;

/* print_device.c */
bd_item_printer bd_print_dev_item;
bd_item_printer bd_print_dev_extent;
bd_item_printer bd_print_chunk;
bd_item_printer bd_print_dev_stats;
bd_item_printer bd_print_dev_replace;
bd_item_printer bd_print_balance;

#endif
