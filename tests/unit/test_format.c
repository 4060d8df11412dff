/* SPDX-License-Identifier: MIT */
/* tests/unit/test_format.c - sizes, offsets and numbers of the format against Linux' own headers */
#include "unit.h"

#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <stddef.h>
#include "disk/format.h"

/*
 * What Debian 12's headers do not know yet (the superblock, tree block headers, the newest items
 * and bits) is compared with numbers written out here.
 */

#define SIZE(ours, theirs) CU_ASSERT_EQUAL(sizeof(struct ours), sizeof(struct theirs))
#define FIELD(ours, f, theirs, g)                                                                \
	do {                                                                                     \
		CU_ASSERT_EQUAL(offsetof(struct ours, f), offsetof(struct theirs, g));           \
		CU_ASSERT_EQUAL(sizeof(((struct ours *)0)->f), sizeof(((struct theirs *)0)->g)); \
	} while (0)
#define AT(ours, f, offset)  CU_ASSERT_EQUAL(offsetof(struct ours, f), offset)
#define NUMBER(ours, theirs) CU_ASSERT_EQUAL((uint64_t)(ours), (uint64_t)(theirs))

static void key(void)
{
	SIZE(bd_disk_key, btrfs_disk_key);
	FIELD(bd_disk_key, objectid, btrfs_disk_key, objectid);
	FIELD(bd_disk_key, type, btrfs_disk_key, type);
	FIELD(bd_disk_key, offset, btrfs_disk_key, offset);
}

static void dev_item(void)
{
	SIZE(bd_disk_dev_item, btrfs_dev_item);
	FIELD(bd_disk_dev_item, devid, btrfs_dev_item, devid);
	FIELD(bd_disk_dev_item, total_bytes, btrfs_dev_item, total_bytes);
	FIELD(bd_disk_dev_item, bytes_used, btrfs_dev_item, bytes_used);
	FIELD(bd_disk_dev_item, io_align, btrfs_dev_item, io_align);
	FIELD(bd_disk_dev_item, io_width, btrfs_dev_item, io_width);
	FIELD(bd_disk_dev_item, sector_size, btrfs_dev_item, sector_size);
	FIELD(bd_disk_dev_item, type, btrfs_dev_item, type);
	FIELD(bd_disk_dev_item, generation, btrfs_dev_item, generation);
	FIELD(bd_disk_dev_item, start_offset, btrfs_dev_item, start_offset);
	FIELD(bd_disk_dev_item, dev_group, btrfs_dev_item, dev_group);
	FIELD(bd_disk_dev_item, seek_speed, btrfs_dev_item, seek_speed);
	FIELD(bd_disk_dev_item, bandwidth, btrfs_dev_item, bandwidth);
	FIELD(bd_disk_dev_item, uuid, btrfs_dev_item, uuid);
	FIELD(bd_disk_dev_item, fsid, btrfs_dev_item, fsid);
}

static void stripe(void)
{
	SIZE(bd_disk_stripe, btrfs_stripe);
	FIELD(bd_disk_stripe, devid, btrfs_stripe, devid);
	FIELD(bd_disk_stripe, offset, btrfs_stripe, offset);
	FIELD(bd_disk_stripe, dev_uuid, btrfs_stripe, dev_uuid);
}

static void chunk(void)
{
	FIELD(bd_disk_chunk, length, btrfs_chunk, length);
	FIELD(bd_disk_chunk, owner, btrfs_chunk, owner);
	FIELD(bd_disk_chunk, stripe_len, btrfs_chunk, stripe_len);
	FIELD(bd_disk_chunk, type, btrfs_chunk, type);
	FIELD(bd_disk_chunk, io_align, btrfs_chunk, io_align);
	FIELD(bd_disk_chunk, io_width, btrfs_chunk, io_width);
	FIELD(bd_disk_chunk, sector_size, btrfs_chunk, sector_size);
	FIELD(bd_disk_chunk, num_stripes, btrfs_chunk, num_stripes);
	FIELD(bd_disk_chunk, sub_stripes, btrfs_chunk, sub_stripes);
	CU_ASSERT_EQUAL(sizeof(struct bd_disk_chunk), offsetof(struct btrfs_chunk, stripe));
}

static void dev_extent(void)
{
	SIZE(bd_disk_dev_extent, btrfs_dev_extent);
	FIELD(bd_disk_dev_extent, chunk_tree, btrfs_dev_extent, chunk_tree);
	FIELD(bd_disk_dev_extent, chunk_objectid, btrfs_dev_extent, chunk_objectid);
	FIELD(bd_disk_dev_extent, chunk_offset, btrfs_dev_extent, chunk_offset);
	FIELD(bd_disk_dev_extent, length, btrfs_dev_extent, length);
	FIELD(bd_disk_dev_extent, chunk_tree_uuid, btrfs_dev_extent, chunk_tree_uuid);
}

static void dev_stats(void)
{
	SIZE(bd_disk_dev_stats, btrfs_dev_stats_item);
	FIELD(bd_disk_dev_stats, values, btrfs_dev_stats_item, values);
}

static void dev_replace(void)
{
	SIZE(bd_disk_dev_replace, btrfs_dev_replace_item);
	FIELD(bd_disk_dev_replace, src_devid, btrfs_dev_replace_item, src_devid);
	FIELD(bd_disk_dev_replace, cursor_left, btrfs_dev_replace_item, cursor_left);
	FIELD(bd_disk_dev_replace, cursor_right, btrfs_dev_replace_item, cursor_right);
	FIELD(bd_disk_dev_replace, cont_reading_from_src, btrfs_dev_replace_item,
	      cont_reading_from_srcdev_mode);
	FIELD(bd_disk_dev_replace, state, btrfs_dev_replace_item, replace_state);
	FIELD(bd_disk_dev_replace, time_started, btrfs_dev_replace_item, time_started);
	FIELD(bd_disk_dev_replace, time_stopped, btrfs_dev_replace_item, time_stopped);
	FIELD(bd_disk_dev_replace, write_errors, btrfs_dev_replace_item, num_write_errors);
	FIELD(bd_disk_dev_replace, uncorrectable_read_errors, btrfs_dev_replace_item,
	      num_uncorrectable_read_errors);
}

static void balance_args(void)
{
	SIZE(bd_disk_balance_args, btrfs_disk_balance_args);
	FIELD(bd_disk_balance_args, profiles, btrfs_disk_balance_args, profiles);
	FIELD(bd_disk_balance_args, usage, btrfs_disk_balance_args, usage);
	FIELD(bd_disk_balance_args, devid, btrfs_disk_balance_args, devid);
	FIELD(bd_disk_balance_args, pstart, btrfs_disk_balance_args, pstart);
	FIELD(bd_disk_balance_args, pend, btrfs_disk_balance_args, pend);
	FIELD(bd_disk_balance_args, vstart, btrfs_disk_balance_args, vstart);
	FIELD(bd_disk_balance_args, vend, btrfs_disk_balance_args, vend);
	FIELD(bd_disk_balance_args, target, btrfs_disk_balance_args, target);
	FIELD(bd_disk_balance_args, flags, btrfs_disk_balance_args, flags);
	FIELD(bd_disk_balance_args, limit, btrfs_disk_balance_args, limit);
	FIELD(bd_disk_balance_args, stripes_min, btrfs_disk_balance_args, stripes_min);
	FIELD(bd_disk_balance_args, stripes_max, btrfs_disk_balance_args, stripes_max);
	FIELD(bd_disk_balance_args, unused, btrfs_disk_balance_args, unused);
}

static void balance(void)
{
	SIZE(bd_disk_balance, btrfs_balance_item);
	FIELD(bd_disk_balance, flags, btrfs_balance_item, flags);
	FIELD(bd_disk_balance, data, btrfs_balance_item, data);
	FIELD(bd_disk_balance, meta, btrfs_balance_item, meta);
	FIELD(bd_disk_balance, sys, btrfs_balance_item, sys);
	FIELD(bd_disk_balance, unused, btrfs_balance_item, unused);
}

static void timespec(void)
{
	SIZE(bd_disk_timespec, btrfs_timespec);
	FIELD(bd_disk_timespec, sec, btrfs_timespec, sec);
	FIELD(bd_disk_timespec, nsec, btrfs_timespec, nsec);
}

static void inode_item(void)
{
	SIZE(bd_disk_inode_item, btrfs_inode_item);
	FIELD(bd_disk_inode_item, generation, btrfs_inode_item, generation);
	FIELD(bd_disk_inode_item, transid, btrfs_inode_item, transid);
	FIELD(bd_disk_inode_item, size, btrfs_inode_item, size);
	FIELD(bd_disk_inode_item, nbytes, btrfs_inode_item, nbytes);
	FIELD(bd_disk_inode_item, block_group, btrfs_inode_item, block_group);
	FIELD(bd_disk_inode_item, nlink, btrfs_inode_item, nlink);
	FIELD(bd_disk_inode_item, uid, btrfs_inode_item, uid);
	FIELD(bd_disk_inode_item, gid, btrfs_inode_item, gid);
	FIELD(bd_disk_inode_item, mode, btrfs_inode_item, mode);
	FIELD(bd_disk_inode_item, rdev, btrfs_inode_item, rdev);
	FIELD(bd_disk_inode_item, flags, btrfs_inode_item, flags);
	FIELD(bd_disk_inode_item, sequence, btrfs_inode_item, sequence);
	FIELD(bd_disk_inode_item, reserved, btrfs_inode_item, reserved);
	FIELD(bd_disk_inode_item, atime, btrfs_inode_item, atime);
	FIELD(bd_disk_inode_item, ctime, btrfs_inode_item, ctime);
	FIELD(bd_disk_inode_item, mtime, btrfs_inode_item, mtime);
	FIELD(bd_disk_inode_item, otime, btrfs_inode_item, otime);
}

static void inode_ref(void)
{
	SIZE(bd_disk_inode_ref, btrfs_inode_ref);
	FIELD(bd_disk_inode_ref, index, btrfs_inode_ref, index);
	FIELD(bd_disk_inode_ref, name_len, btrfs_inode_ref, name_len);
}

static void inode_extref(void)
{
	SIZE(bd_disk_inode_extref, btrfs_inode_extref);
	FIELD(bd_disk_inode_extref, parent, btrfs_inode_extref, parent_objectid);
	FIELD(bd_disk_inode_extref, index, btrfs_inode_extref, index);
	FIELD(bd_disk_inode_extref, name_len, btrfs_inode_extref, name_len);
}

static void dir_item(void)
{
	SIZE(bd_disk_dir_item, btrfs_dir_item);
	FIELD(bd_disk_dir_item, location, btrfs_dir_item, location);
	FIELD(bd_disk_dir_item, transid, btrfs_dir_item, transid);
	FIELD(bd_disk_dir_item, data_len, btrfs_dir_item, data_len);
	FIELD(bd_disk_dir_item, name_len, btrfs_dir_item, name_len);
	FIELD(bd_disk_dir_item, type, btrfs_dir_item, type);
}

static void file_extent(void)
{
	SIZE(bd_disk_file_extent, btrfs_file_extent_item);
	FIELD(bd_disk_file_extent, generation, btrfs_file_extent_item, generation);
	FIELD(bd_disk_file_extent, ram_bytes, btrfs_file_extent_item, ram_bytes);
	FIELD(bd_disk_file_extent, compression, btrfs_file_extent_item, compression);
	FIELD(bd_disk_file_extent, encryption, btrfs_file_extent_item, encryption);
	FIELD(bd_disk_file_extent, other_encoding, btrfs_file_extent_item, other_encoding);
	FIELD(bd_disk_file_extent, type, btrfs_file_extent_item, type);
	FIELD(bd_disk_file_extent, disk_bytenr, btrfs_file_extent_item, disk_bytenr);
	FIELD(bd_disk_file_extent, disk_num_bytes, btrfs_file_extent_item, disk_num_bytes);
	FIELD(bd_disk_file_extent, offset, btrfs_file_extent_item, offset);
	FIELD(bd_disk_file_extent, num_bytes, btrfs_file_extent_item, num_bytes);
	CU_ASSERT_EQUAL(BD_FILE_EXTENT_INLINE_HDR,
			offsetof(struct btrfs_file_extent_item, disk_bytenr));
}

static void verity_descriptor(void)
{
	SIZE(bd_disk_verity_descriptor, btrfs_verity_descriptor_item);
	FIELD(bd_disk_verity_descriptor, size, btrfs_verity_descriptor_item, size);
	FIELD(bd_disk_verity_descriptor, reserved, btrfs_verity_descriptor_item, reserved);
	FIELD(bd_disk_verity_descriptor, encryption, btrfs_verity_descriptor_item, encryption);
}

static void root_item(void)
{
	SIZE(bd_disk_root_item, btrfs_root_item);
	FIELD(bd_disk_root_item, inode, btrfs_root_item, inode);
	FIELD(bd_disk_root_item, generation, btrfs_root_item, generation);
	FIELD(bd_disk_root_item, root_dirid, btrfs_root_item, root_dirid);
	FIELD(bd_disk_root_item, bytenr, btrfs_root_item, bytenr);
	FIELD(bd_disk_root_item, byte_limit, btrfs_root_item, byte_limit);
	FIELD(bd_disk_root_item, bytes_used, btrfs_root_item, bytes_used);
	FIELD(bd_disk_root_item, last_snapshot, btrfs_root_item, last_snapshot);
	FIELD(bd_disk_root_item, flags, btrfs_root_item, flags);
	FIELD(bd_disk_root_item, refs, btrfs_root_item, refs);
	FIELD(bd_disk_root_item, drop_progress, btrfs_root_item, drop_progress);
	FIELD(bd_disk_root_item, drop_level, btrfs_root_item, drop_level);
	FIELD(bd_disk_root_item, level, btrfs_root_item, level);
	FIELD(bd_disk_root_item, generation_v2, btrfs_root_item, generation_v2);
	FIELD(bd_disk_root_item, uuid, btrfs_root_item, uuid);
	FIELD(bd_disk_root_item, parent_uuid, btrfs_root_item, parent_uuid);
	FIELD(bd_disk_root_item, received_uuid, btrfs_root_item, received_uuid);
	FIELD(bd_disk_root_item, ctransid, btrfs_root_item, ctransid);
	FIELD(bd_disk_root_item, otransid, btrfs_root_item, otransid);
	FIELD(bd_disk_root_item, stransid, btrfs_root_item, stransid);
	FIELD(bd_disk_root_item, rtransid, btrfs_root_item, rtransid);
	FIELD(bd_disk_root_item, ctime, btrfs_root_item, ctime);
	FIELD(bd_disk_root_item, otime, btrfs_root_item, otime);
	FIELD(bd_disk_root_item, stime, btrfs_root_item, stime);
	FIELD(bd_disk_root_item, rtime, btrfs_root_item, rtime);
	FIELD(bd_disk_root_item, reserved, btrfs_root_item, reserved);
	CU_ASSERT_EQUAL(BD_ROOT_ITEM_V0_SIZE, btrfs_legacy_root_item_size());
}

static void root_ref(void)
{
	SIZE(bd_disk_root_ref, btrfs_root_ref);
	FIELD(bd_disk_root_ref, dirid, btrfs_root_ref, dirid);
	FIELD(bd_disk_root_ref, sequence, btrfs_root_ref, sequence);
	FIELD(bd_disk_root_ref, name_len, btrfs_root_ref, name_len);
}

static void extent_item(void)
{
	SIZE(bd_disk_extent_item, btrfs_extent_item);
	FIELD(bd_disk_extent_item, refs, btrfs_extent_item, refs);
	FIELD(bd_disk_extent_item, generation, btrfs_extent_item, generation);
	FIELD(bd_disk_extent_item, flags, btrfs_extent_item, flags);
}

static void tree_block_info(void)
{
	SIZE(bd_disk_tree_block_info, btrfs_tree_block_info);
	FIELD(bd_disk_tree_block_info, key, btrfs_tree_block_info, key);
	FIELD(bd_disk_tree_block_info, level, btrfs_tree_block_info, level);
}

static void extent_inline_ref(void)
{
	SIZE(bd_disk_extent_inline_ref, btrfs_extent_inline_ref);
	FIELD(bd_disk_extent_inline_ref, type, btrfs_extent_inline_ref, type);
	FIELD(bd_disk_extent_inline_ref, offset, btrfs_extent_inline_ref, offset);
}

static void extent_data_ref(void)
{
	SIZE(bd_disk_extent_data_ref, btrfs_extent_data_ref);
	FIELD(bd_disk_extent_data_ref, root, btrfs_extent_data_ref, root);
	FIELD(bd_disk_extent_data_ref, objectid, btrfs_extent_data_ref, objectid);
	FIELD(bd_disk_extent_data_ref, offset, btrfs_extent_data_ref, offset);
	FIELD(bd_disk_extent_data_ref, count, btrfs_extent_data_ref, count);
}

static void shared_data_ref(void)
{
	SIZE(bd_disk_shared_data_ref, btrfs_shared_data_ref);
	FIELD(bd_disk_shared_data_ref, count, btrfs_shared_data_ref, count);
}

static void block_group_item(void)
{
	SIZE(bd_disk_block_group_item, btrfs_block_group_item);
	FIELD(bd_disk_block_group_item, used, btrfs_block_group_item, used);
	FIELD(bd_disk_block_group_item, chunk_objectid, btrfs_block_group_item, chunk_objectid);
	FIELD(bd_disk_block_group_item, flags, btrfs_block_group_item, flags);
}

static void free_space_info(void)
{
	SIZE(bd_disk_free_space_info, btrfs_free_space_info);
	FIELD(bd_disk_free_space_info, extent_count, btrfs_free_space_info, extent_count);
	FIELD(bd_disk_free_space_info, flags, btrfs_free_space_info, flags);
}

static void free_space_header(void)
{
	SIZE(bd_disk_free_space_header, btrfs_free_space_header);
	FIELD(bd_disk_free_space_header, location, btrfs_free_space_header, location);
	FIELD(bd_disk_free_space_header, generation, btrfs_free_space_header, generation);
	FIELD(bd_disk_free_space_header, num_entries, btrfs_free_space_header, num_entries);
	FIELD(bd_disk_free_space_header, num_bitmaps, btrfs_free_space_header, num_bitmaps);
}

static void qgroup_status(void)
{
	FIELD(bd_disk_qgroup_status, version, btrfs_qgroup_status_item, version);
	FIELD(bd_disk_qgroup_status, generation, btrfs_qgroup_status_item, generation);
	FIELD(bd_disk_qgroup_status, flags, btrfs_qgroup_status_item, flags);
	FIELD(bd_disk_qgroup_status, rescan, btrfs_qgroup_status_item, rescan);
	/* simple quotas appended a field */
	AT(bd_disk_qgroup_status, enable_gen, 32);
	CU_ASSERT_EQUAL(BD_QGROUP_STATUS_OLD_SIZE, 32);
}

static void qgroup_info(void)
{
	SIZE(bd_disk_qgroup_info, btrfs_qgroup_info_item);
	FIELD(bd_disk_qgroup_info, generation, btrfs_qgroup_info_item, generation);
	FIELD(bd_disk_qgroup_info, rfer, btrfs_qgroup_info_item, rfer);
	FIELD(bd_disk_qgroup_info, rfer_cmpr, btrfs_qgroup_info_item, rfer_cmpr);
	FIELD(bd_disk_qgroup_info, excl, btrfs_qgroup_info_item, excl);
	FIELD(bd_disk_qgroup_info, excl_cmpr, btrfs_qgroup_info_item, excl_cmpr);
}

static void qgroup_limit(void)
{
	SIZE(bd_disk_qgroup_limit, btrfs_qgroup_limit_item);
	FIELD(bd_disk_qgroup_limit, flags, btrfs_qgroup_limit_item, flags);
	FIELD(bd_disk_qgroup_limit, max_rfer, btrfs_qgroup_limit_item, max_rfer);
	FIELD(bd_disk_qgroup_limit, max_excl, btrfs_qgroup_limit_item, max_excl);
	FIELD(bd_disk_qgroup_limit, rsv_rfer, btrfs_qgroup_limit_item, rsv_rfer);
	FIELD(bd_disk_qgroup_limit, rsv_excl, btrfs_qgroup_limit_item, rsv_excl);
}

static void tree_block_header(void)
{
	AT(bd_disk_header, csum, 0);
	AT(bd_disk_header, fsid, 32);
	AT(bd_disk_header, bytenr, 48);
	AT(bd_disk_header, flags, 56);
	AT(bd_disk_header, chunk_tree_uuid, 64);
	AT(bd_disk_header, generation, 80);
	AT(bd_disk_header, owner, 88);
	AT(bd_disk_header, nritems, 96);
	AT(bd_disk_header, level, 100);
	AT(bd_disk_item, key, 0);
	AT(bd_disk_item, offset, 17);
	AT(bd_disk_item, size, 21);
	AT(bd_disk_key_ptr, key, 0);
	AT(bd_disk_key_ptr, blockptr, 17);
	AT(bd_disk_key_ptr, generation, 25);
}

static void superblock(void)
{
	le64 magic = bd_to_le64(BD_SUPER_MAGIC);

	AT(bd_disk_super, csum, 0);
	AT(bd_disk_super, fsid, 0x20);
	AT(bd_disk_super, bytenr, 0x30);
	AT(bd_disk_super, flags, 0x38);
	AT(bd_disk_super, magic, 0x40);
	AT(bd_disk_super, generation, 0x48);
	AT(bd_disk_super, root, 0x50);
	AT(bd_disk_super, chunk_root, 0x58);
	AT(bd_disk_super, log_root, 0x60);
	AT(bd_disk_super, total_bytes, 0x70);
	AT(bd_disk_super, bytes_used, 0x78);
	AT(bd_disk_super, root_dir_objectid, 0x80);
	AT(bd_disk_super, num_devices, 0x88);
	AT(bd_disk_super, sectorsize, 0x90);
	AT(bd_disk_super, nodesize, 0x94);
	AT(bd_disk_super, leafsize, 0x98);
	AT(bd_disk_super, stripesize, 0x9c);
	AT(bd_disk_super, sys_chunk_array_size, 0xa0);
	AT(bd_disk_super, chunk_root_generation, 0xa4);
	AT(bd_disk_super, compat_flags, 0xac);
	AT(bd_disk_super, compat_ro_flags, 0xb4);
	AT(bd_disk_super, incompat_flags, 0xbc);
	AT(bd_disk_super, csum_type, 0xc4);
	AT(bd_disk_super, root_level, 0xc6);
	AT(bd_disk_super, chunk_root_level, 0xc7);
	AT(bd_disk_super, log_root_level, 0xc8);
	AT(bd_disk_super, dev_item, 0xc9);
	AT(bd_disk_super, label, 0x12b);
	AT(bd_disk_super, cache_generation, 0x22b);
	AT(bd_disk_super, uuid_tree_generation, 0x233);
	AT(bd_disk_super, metadata_uuid, 0x23b);
	AT(bd_disk_super, sys_chunk_array, 0x32b);
	AT(bd_disk_super, backup_roots, 0xb2b);
	AT(bd_disk_super, padding, 0xdcb);
	CU_ASSERT_EQUAL(memcmp(&magic, "_BHRfS_M", 8), 0);
}

static void backup_root(void)
{
	AT(bd_disk_backup_root, tree_root, 0);
	AT(bd_disk_backup_root, tree_root_gen, 8);
	AT(bd_disk_backup_root, chunk_root, 16);
	AT(bd_disk_backup_root, extent_root, 32);
	AT(bd_disk_backup_root, fs_root, 48);
	AT(bd_disk_backup_root, dev_root, 64);
	AT(bd_disk_backup_root, csum_root, 80);
	AT(bd_disk_backup_root, total_bytes, 96);
	AT(bd_disk_backup_root, bytes_used, 104);
	AT(bd_disk_backup_root, num_devices, 112);
	AT(bd_disk_backup_root, tree_root_level, 152);
	AT(bd_disk_backup_root, chunk_root_level, 153);
	AT(bd_disk_backup_root, extent_root_level, 154);
	AT(bd_disk_backup_root, fs_root_level, 155);
	AT(bd_disk_backup_root, dev_root_level, 156);
	AT(bd_disk_backup_root, csum_root_level, 157);
}

static void key_types(void)
{
	NUMBER(BD_KEY_INODE_ITEM, BTRFS_INODE_ITEM_KEY);
	NUMBER(BD_KEY_INODE_REF, BTRFS_INODE_REF_KEY);
	NUMBER(BD_KEY_INODE_EXTREF, BTRFS_INODE_EXTREF_KEY);
	NUMBER(BD_KEY_XATTR_ITEM, BTRFS_XATTR_ITEM_KEY);
	NUMBER(BD_KEY_VERITY_DESC, BTRFS_VERITY_DESC_ITEM_KEY);
	NUMBER(BD_KEY_VERITY_MERKLE, BTRFS_VERITY_MERKLE_ITEM_KEY);
	NUMBER(BD_KEY_ORPHAN_ITEM, BTRFS_ORPHAN_ITEM_KEY);
	NUMBER(BD_KEY_DIR_LOG_ITEM, BTRFS_DIR_LOG_ITEM_KEY);
	NUMBER(BD_KEY_DIR_LOG_INDEX, BTRFS_DIR_LOG_INDEX_KEY);
	NUMBER(BD_KEY_DIR_ITEM, BTRFS_DIR_ITEM_KEY);
	NUMBER(BD_KEY_DIR_INDEX, BTRFS_DIR_INDEX_KEY);
	NUMBER(BD_KEY_EXTENT_DATA, BTRFS_EXTENT_DATA_KEY);
	NUMBER(BD_KEY_EXTENT_CSUM, BTRFS_EXTENT_CSUM_KEY);
	NUMBER(BD_KEY_ROOT_ITEM, BTRFS_ROOT_ITEM_KEY);
	NUMBER(BD_KEY_ROOT_BACKREF, BTRFS_ROOT_BACKREF_KEY);
	NUMBER(BD_KEY_ROOT_REF, BTRFS_ROOT_REF_KEY);
	NUMBER(BD_KEY_EXTENT_ITEM, BTRFS_EXTENT_ITEM_KEY);
	NUMBER(BD_KEY_METADATA_ITEM, BTRFS_METADATA_ITEM_KEY);
	NUMBER(BD_KEY_TREE_BLOCK_REF, BTRFS_TREE_BLOCK_REF_KEY);
	NUMBER(BD_KEY_EXTENT_DATA_REF, BTRFS_EXTENT_DATA_REF_KEY);
	NUMBER(BD_KEY_EXTENT_REF_V0, BTRFS_EXTENT_REF_V0_KEY);
	NUMBER(BD_KEY_SHARED_BLOCK_REF, BTRFS_SHARED_BLOCK_REF_KEY);
	NUMBER(BD_KEY_SHARED_DATA_REF, BTRFS_SHARED_DATA_REF_KEY);
	NUMBER(BD_KEY_BLOCK_GROUP_ITEM, BTRFS_BLOCK_GROUP_ITEM_KEY);
	NUMBER(BD_KEY_FREE_SPACE_INFO, BTRFS_FREE_SPACE_INFO_KEY);
	NUMBER(BD_KEY_FREE_SPACE_EXTENT, BTRFS_FREE_SPACE_EXTENT_KEY);
	NUMBER(BD_KEY_FREE_SPACE_BITMAP, BTRFS_FREE_SPACE_BITMAP_KEY);
	NUMBER(BD_KEY_DEV_EXTENT, BTRFS_DEV_EXTENT_KEY);
	NUMBER(BD_KEY_DEV_ITEM, BTRFS_DEV_ITEM_KEY);
	NUMBER(BD_KEY_CHUNK_ITEM, BTRFS_CHUNK_ITEM_KEY);
	NUMBER(BD_KEY_QGROUP_STATUS, BTRFS_QGROUP_STATUS_KEY);
	NUMBER(BD_KEY_QGROUP_INFO, BTRFS_QGROUP_INFO_KEY);
	NUMBER(BD_KEY_QGROUP_LIMIT, BTRFS_QGROUP_LIMIT_KEY);
	NUMBER(BD_KEY_QGROUP_RELATION, BTRFS_QGROUP_RELATION_KEY);
	NUMBER(BD_KEY_TEMPORARY_ITEM, BTRFS_TEMPORARY_ITEM_KEY);
	NUMBER(BD_KEY_PERSISTENT_ITEM, BTRFS_PERSISTENT_ITEM_KEY);
	NUMBER(BD_KEY_DEV_REPLACE, BTRFS_DEV_REPLACE_KEY);
	NUMBER(BD_KEY_STRING_ITEM, BTRFS_STRING_ITEM_KEY);
	NUMBER(BD_KEY_UUID_SUBVOL, BTRFS_UUID_KEY_SUBVOL);
	NUMBER(BD_KEY_UUID_RECEIVED, BTRFS_UUID_KEY_RECEIVED_SUBVOL);
	NUMBER(BD_KEY_EXTENT_OWNER_REF, 172);
	NUMBER(BD_KEY_RAID_STRIPE, 230);
}

static void objectids(void)
{
	NUMBER(BD_OBJ_ROOT_TREE, BTRFS_ROOT_TREE_OBJECTID);
	NUMBER(BD_OBJ_EXTENT_TREE, BTRFS_EXTENT_TREE_OBJECTID);
	NUMBER(BD_OBJ_CHUNK_TREE, BTRFS_CHUNK_TREE_OBJECTID);
	NUMBER(BD_OBJ_DEV_TREE, BTRFS_DEV_TREE_OBJECTID);
	NUMBER(BD_OBJ_FS_TREE, BTRFS_FS_TREE_OBJECTID);
	NUMBER(BD_OBJ_ROOT_TREE_DIR, BTRFS_ROOT_TREE_DIR_OBJECTID);
	NUMBER(BD_OBJ_CSUM_TREE, BTRFS_CSUM_TREE_OBJECTID);
	NUMBER(BD_OBJ_QUOTA_TREE, BTRFS_QUOTA_TREE_OBJECTID);
	NUMBER(BD_OBJ_UUID_TREE, BTRFS_UUID_TREE_OBJECTID);
	NUMBER(BD_OBJ_FREE_SPACE_TREE, BTRFS_FREE_SPACE_TREE_OBJECTID);
	NUMBER(BD_OBJ_BLOCK_GROUP_TREE, BTRFS_BLOCK_GROUP_TREE_OBJECTID);
	NUMBER(BD_OBJ_DEV_STATS, BTRFS_DEV_STATS_OBJECTID);
	NUMBER(BD_OBJ_BALANCE, BTRFS_BALANCE_OBJECTID);
	NUMBER(BD_OBJ_ORPHAN, BTRFS_ORPHAN_OBJECTID);
	NUMBER(BD_OBJ_TREE_LOG, BTRFS_TREE_LOG_OBJECTID);
	NUMBER(BD_OBJ_TREE_LOG_FIXUP, BTRFS_TREE_LOG_FIXUP_OBJECTID);
	NUMBER(BD_OBJ_TREE_RELOC, BTRFS_TREE_RELOC_OBJECTID);
	NUMBER(BD_OBJ_DATA_RELOC_TREE, BTRFS_DATA_RELOC_TREE_OBJECTID);
	NUMBER(BD_OBJ_EXTENT_CSUM, BTRFS_EXTENT_CSUM_OBJECTID);
	NUMBER(BD_OBJ_FREE_SPACE, BTRFS_FREE_SPACE_OBJECTID);
	NUMBER(BD_OBJ_FREE_INO, BTRFS_FREE_INO_OBJECTID);
	NUMBER(BD_OBJ_FIRST_FREE, BTRFS_FIRST_FREE_OBJECTID);
	NUMBER(BD_OBJ_LAST_FREE, BTRFS_LAST_FREE_OBJECTID);
	NUMBER(BD_OBJ_FIRST_CHUNK_TREE, BTRFS_FIRST_CHUNK_TREE_OBJECTID);
	NUMBER(BD_OBJ_DEV_ITEMS, BTRFS_DEV_ITEMS_OBJECTID);
	NUMBER(BD_OBJ_EMPTY_SUBVOL_DIR, BTRFS_EMPTY_SUBVOL_DIR_OBJECTID);
	NUMBER(BD_OBJ_MULTIPLE, BTRFS_MULTIPLE_OBJECTIDS);
	NUMBER(BD_OBJ_RAID_STRIPE_TREE, 12);
	NUMBER(BD_OBJ_REMAP_TREE, 13);
	NUMBER(BD_OBJ_CSUM_CHANGE, -13ULL);
}

static void feature_bits(void)
{
	NUMBER(BD_COMPAT_RO_FREE_SPACE_TREE, BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE);
	NUMBER(BD_COMPAT_RO_FREE_SPACE_TREE_VALID, BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE_VALID);
	NUMBER(BD_COMPAT_RO_VERITY, BTRFS_FEATURE_COMPAT_RO_VERITY);
	NUMBER(BD_COMPAT_RO_BLOCK_GROUP_TREE, BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE);
	NUMBER(BD_INCOMPAT_MIXED_BACKREF, BTRFS_FEATURE_INCOMPAT_MIXED_BACKREF);
	NUMBER(BD_INCOMPAT_DEFAULT_SUBVOL, BTRFS_FEATURE_INCOMPAT_DEFAULT_SUBVOL);
	NUMBER(BD_INCOMPAT_MIXED_GROUPS, BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS);
	NUMBER(BD_INCOMPAT_COMPRESS_LZO, BTRFS_FEATURE_INCOMPAT_COMPRESS_LZO);
	NUMBER(BD_INCOMPAT_COMPRESS_ZSTD, BTRFS_FEATURE_INCOMPAT_COMPRESS_ZSTD);
	NUMBER(BD_INCOMPAT_BIG_METADATA, BTRFS_FEATURE_INCOMPAT_BIG_METADATA);
	NUMBER(BD_INCOMPAT_EXTENDED_IREF, BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF);
	NUMBER(BD_INCOMPAT_RAID56, BTRFS_FEATURE_INCOMPAT_RAID56);
	NUMBER(BD_INCOMPAT_SKINNY_METADATA, BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA);
	NUMBER(BD_INCOMPAT_NO_HOLES, BTRFS_FEATURE_INCOMPAT_NO_HOLES);
	NUMBER(BD_INCOMPAT_METADATA_UUID, BTRFS_FEATURE_INCOMPAT_METADATA_UUID);
	NUMBER(BD_INCOMPAT_RAID1C34, BTRFS_FEATURE_INCOMPAT_RAID1C34);
	NUMBER(BD_INCOMPAT_ZONED, BTRFS_FEATURE_INCOMPAT_ZONED);
	NUMBER(BD_INCOMPAT_EXTENT_TREE_V2, BTRFS_FEATURE_INCOMPAT_EXTENT_TREE_V2);
	NUMBER(BD_INCOMPAT_RAID_STRIPE_TREE, 1 << 14);
	NUMBER(BD_INCOMPAT_SIMPLE_QUOTA, 1 << 16);
	NUMBER(BD_INCOMPAT_REMAP_TREE, 1 << 17);
}

static void block_group_bits(void)
{
	NUMBER(BD_BG_DATA, BTRFS_BLOCK_GROUP_DATA);
	NUMBER(BD_BG_SYSTEM, BTRFS_BLOCK_GROUP_SYSTEM);
	NUMBER(BD_BG_METADATA, BTRFS_BLOCK_GROUP_METADATA);
	NUMBER(BD_BG_RAID0, BTRFS_BLOCK_GROUP_RAID0);
	NUMBER(BD_BG_RAID1, BTRFS_BLOCK_GROUP_RAID1);
	NUMBER(BD_BG_DUP, BTRFS_BLOCK_GROUP_DUP);
	NUMBER(BD_BG_RAID10, BTRFS_BLOCK_GROUP_RAID10);
	NUMBER(BD_BG_RAID5, BTRFS_BLOCK_GROUP_RAID5);
	NUMBER(BD_BG_RAID6, BTRFS_BLOCK_GROUP_RAID6);
	NUMBER(BD_BG_RAID1C3, BTRFS_BLOCK_GROUP_RAID1C3);
	NUMBER(BD_BG_RAID1C4, BTRFS_BLOCK_GROUP_RAID1C4);
	NUMBER(BD_BG_TYPE_MASK, BTRFS_BLOCK_GROUP_TYPE_MASK);
	NUMBER(BD_BG_PROFILE_MASK, BTRFS_BLOCK_GROUP_PROFILE_MASK);
	NUMBER(BD_BG_REMAPPED, 1 << 11);
}

static void flags_of_blocks_and_roots(void)
{
	NUMBER(BD_HEADER_FLAG_WRITTEN, BTRFS_HEADER_FLAG_WRITTEN);
	NUMBER(BD_HEADER_FLAG_RELOC, BTRFS_HEADER_FLAG_RELOC);
	NUMBER(BD_SUPER_FLAG_ERROR, BTRFS_SUPER_FLAG_ERROR);
	NUMBER(BD_SUPER_FLAG_SEEDING, BTRFS_SUPER_FLAG_SEEDING);
	NUMBER(BD_SUPER_FLAG_METADUMP, BTRFS_SUPER_FLAG_METADUMP);
	NUMBER(BD_SUPER_FLAG_METADUMP_V2, BTRFS_SUPER_FLAG_METADUMP_V2);
	NUMBER(BD_SUPER_FLAG_CHANGING_FSID, BTRFS_SUPER_FLAG_CHANGING_FSID);
	NUMBER(BD_SUPER_FLAG_CHANGING_FSID_V2, BTRFS_SUPER_FLAG_CHANGING_FSID_V2);
	NUMBER(BD_ROOT_SUBVOL_RDONLY, BTRFS_ROOT_SUBVOL_RDONLY);
	NUMBER(BD_ROOT_SUBVOL_DEAD, BTRFS_ROOT_SUBVOL_DEAD);
	NUMBER(BD_EXTENT_FLAG_DATA, BTRFS_EXTENT_FLAG_DATA);
	NUMBER(BD_EXTENT_FLAG_TREE_BLOCK, BTRFS_EXTENT_FLAG_TREE_BLOCK);
	NUMBER(BD_FREE_SPACE_USING_BITMAPS, BTRFS_FREE_SPACE_USING_BITMAPS);
	NUMBER(BD_EXTENT_FLAG_FULL_BACKREF, BTRFS_BLOCK_FLAG_FULL_BACKREF);
}

static void small_numbers(void)
{
	NUMBER(BD_FT_UNKNOWN, BTRFS_FT_UNKNOWN);
	NUMBER(BD_FT_REG_FILE, BTRFS_FT_REG_FILE);
	NUMBER(BD_FT_DIR, BTRFS_FT_DIR);
	NUMBER(BD_FT_CHRDEV, BTRFS_FT_CHRDEV);
	NUMBER(BD_FT_BLKDEV, BTRFS_FT_BLKDEV);
	NUMBER(BD_FT_FIFO, BTRFS_FT_FIFO);
	NUMBER(BD_FT_SOCK, BTRFS_FT_SOCK);
	NUMBER(BD_FT_SYMLINK, BTRFS_FT_SYMLINK);
	NUMBER(BD_FT_XATTR, BTRFS_FT_XATTR);
	NUMBER(BD_FT_MAX, BTRFS_FT_MAX);
	NUMBER(BD_CSUM_CRC32C, BTRFS_CSUM_TYPE_CRC32);
	NUMBER(BD_CSUM_XXHASH64, BTRFS_CSUM_TYPE_XXHASH);
	NUMBER(BD_CSUM_SHA256, BTRFS_CSUM_TYPE_SHA256);
	NUMBER(BD_CSUM_BLAKE2B, BTRFS_CSUM_TYPE_BLAKE2);
	NUMBER(BD_CSUM_SIZE, BTRFS_CSUM_SIZE);
	NUMBER(BD_FILE_EXTENT_INLINE, BTRFS_FILE_EXTENT_INLINE);
	NUMBER(BD_FILE_EXTENT_REG, BTRFS_FILE_EXTENT_REG);
	NUMBER(BD_FILE_EXTENT_PREALLOC, BTRFS_FILE_EXTENT_PREALLOC);
	NUMBER(BD_NAME_MAX, 255);
	NUMBER(BD_LABEL_SIZE, BTRFS_LABEL_SIZE);
	NUMBER(BD_FSID_SIZE, BTRFS_FSID_SIZE);
	NUMBER(BD_DEV_STATS_VALUES, BTRFS_DEV_STAT_VALUES_MAX);
}

static const struct unit_test tests[] = {
	UNIT_TEST(key),
	UNIT_TEST(dev_item),
	UNIT_TEST(stripe),
	UNIT_TEST(chunk),
	UNIT_TEST(dev_extent),
	UNIT_TEST(dev_stats),
	UNIT_TEST(dev_replace),
	UNIT_TEST(balance_args),
	UNIT_TEST(balance),
	UNIT_TEST(timespec),
	UNIT_TEST(inode_item),
	UNIT_TEST(inode_ref),
	UNIT_TEST(inode_extref),
	UNIT_TEST(dir_item),
	UNIT_TEST(file_extent),
	UNIT_TEST(verity_descriptor),
	UNIT_TEST(root_item),
	UNIT_TEST(root_ref),
	UNIT_TEST(extent_item),
	UNIT_TEST(tree_block_info),
	UNIT_TEST(extent_inline_ref),
	UNIT_TEST(extent_data_ref),
	UNIT_TEST(shared_data_ref),
	UNIT_TEST(block_group_item),
	UNIT_TEST(free_space_info),
	UNIT_TEST(free_space_header),
	UNIT_TEST(qgroup_status),
	UNIT_TEST(qgroup_info),
	UNIT_TEST(qgroup_limit),
	UNIT_TEST(tree_block_header),
	UNIT_TEST(superblock),
	UNIT_TEST(backup_root),
	UNIT_TEST(key_types),
	UNIT_TEST(objectids),
	UNIT_TEST(feature_bits),
	UNIT_TEST(block_group_bits),
	UNIT_TEST(flags_of_blocks_and_roots),
	UNIT_TEST(small_numbers),
};

UNIT_MAIN("format", tests)
