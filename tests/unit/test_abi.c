/* SPDX-License-Identifier: MIT */
/* tests/unit/test_abi.c - sizes and offsets of every public struct, on 64-bit machines */
#include "btrfsdio/btrfsdio.h"
#include "unit.h"

/*
 * Programs that were compiled against an older header go on working only as long as these
 * numbers stay. A new field goes into reserved space or, where a struct begins with its size, to
 * the end: then its line is added here, and none changes.
 */
#define SIZE(type, bytes)	CU_ASSERT_EQUAL(sizeof(struct type), bytes)
#define AT(type, field, offset) CU_ASSERT_EQUAL(offsetof(struct type, field), offset)

static void changed(void)
{
	SIZE(bdio_changed, 328);
	AT(bdio_changed, ino, 0);
	AT(bdio_changed, what, 16);
	AT(bdio_changed, created, 20);
	AT(bdio_changed, generation, 24);
	AT(bdio_changed, offset, 32);
	AT(bdio_changed, length, 40);
	AT(bdio_changed, child, 48);
	AT(bdio_changed, name_len, 64);
	AT(bdio_changed, type, 66);
	AT(bdio_changed, name, 67);
}

static void device(void)
{
	SIZE(bdio_device, 96);
	AT(bdio_device, size, 0);
	AT(bdio_device, priv, 8);
	AT(bdio_device, name, 16);
	AT(bdio_device, read, 24);
	AT(bdio_device, write, 32);
	AT(bdio_device, flush, 40);
	AT(bdio_device, size_bytes, 48);
	AT(bdio_device, close, 56);
	AT(bdio_device, reserved, 64);
}

static void dirent(void)
{
	SIZE(bdio_dirent, 288);
	AT(bdio_dirent, ino, 0);
	AT(bdio_dirent, index, 16);
	AT(bdio_dirent, name_len, 24);
	AT(bdio_dirent, type, 26);
	AT(bdio_dirent, is_subvol, 27);
	AT(bdio_dirent, name, 28);
}

static void error(void)
{
	SIZE(bdio_error, 416);
	AT(bdio_error, code, 0);
	AT(bdio_error, has, 4);
	AT(bdio_error, site, 8);
	AT(bdio_error, source_file, 16);
	AT(bdio_error, source_line, 24);
	AT(bdio_error, csum_size, 28);
	AT(bdio_error, logical, 32);
	AT(bdio_error, logical_length, 40);
	AT(bdio_error, devid, 48);
	AT(bdio_error, physical, 56);
	AT(bdio_error, subvol, 64);
	AT(bdio_error, inode, 72);
	AT(bdio_error, file_offset, 80);
	AT(bdio_error, file_length, 88);
	AT(bdio_error, csum_expected, 96);
	AT(bdio_error, csum_found, 128);
	AT(bdio_error, message, 160);
}

static void extent(void)
{
	SIZE(bdio_extent, 72);
	AT(bdio_extent, file_offset, 0);
	AT(bdio_extent, length, 8);
	AT(bdio_extent, logical, 16);
	AT(bdio_extent, disk_length, 24);
	AT(bdio_extent, extent_offset, 32);
	AT(bdio_extent, ram_bytes, 40);
	AT(bdio_extent, generation, 48);
	AT(bdio_extent, type, 56);
	AT(bdio_extent, compression, 60);
	AT(bdio_extent, flags, 64);
	AT(bdio_extent, reserved, 68);
}

static void extract_progress(void)
{
	SIZE(bdio_extract_progress, 40);
	AT(bdio_extract_progress, files, 0);
	AT(bdio_extract_progress, dirs, 8);
	AT(bdio_extract_progress, others, 16);
	AT(bdio_extract_progress, bytes, 24);
	AT(bdio_extract_progress, errors, 32);
}

static void extract_opts(void)
{
	SIZE(bdio_extract_opts, 80);
	AT(bdio_extract_opts, size, 0);
	AT(bdio_extract_opts, flags, 8);
	AT(bdio_extract_opts, on_error, 16);
	AT(bdio_extract_opts, threads, 20);
	AT(bdio_extract_opts, lost, 24);
	AT(bdio_extract_opts, progress, 32);
	AT(bdio_extract_opts, priv, 40);
	AT(bdio_extract_opts, reserved, 48);
}

static void open_opts(void)
{
	SIZE(bdio_open_opts, 96);
	AT(bdio_open_opts, size, 0);
	AT(bdio_open_opts, flags, 8);
	AT(bdio_open_opts, offset, 16);
	AT(bdio_open_opts, cache_bytes, 24);
	AT(bdio_open_opts, queue_depth, 32);
	AT(bdio_open_opts, super_copy, 36);
	AT(bdio_open_opts, backup_root, 40);
	AT(bdio_open_opts, reserved, 44);
	AT(bdio_open_opts, devices, 48);
	AT(bdio_open_opts, num_devices, 56);
	AT(bdio_open_opts, reserved2, 64);
}

static void fs_info(void)
{
	SIZE(bdio_fs_info, 480);
	AT(bdio_fs_info, fsid, 0);
	AT(bdio_fs_info, metadata_uuid, 16);
	AT(bdio_fs_info, label, 32);
	AT(bdio_fs_info, csum_name, 289);
	AT(bdio_fs_info, generation, 304);
	AT(bdio_fs_info, total_bytes, 312);
	AT(bdio_fs_info, bytes_used, 320);
	AT(bdio_fs_info, compat_flags, 328);
	AT(bdio_fs_info, compat_ro_flags, 336);
	AT(bdio_fs_info, incompat_flags, 344);
	AT(bdio_fs_info, super_flags, 352);
	AT(bdio_fs_info, num_devices, 360);
	AT(bdio_fs_info, default_subvol, 368);
	AT(bdio_fs_info, missing_devices, 376);
	AT(bdio_fs_info, sectorsize, 380);
	AT(bdio_fs_info, nodesize, 384);
	AT(bdio_fs_info, csum_type, 388);
	AT(bdio_fs_info, csum_size, 392);
	AT(bdio_fs_info, super_copy, 396);
	AT(bdio_fs_info, super_remarks, 400);
	AT(bdio_fs_info, log_present, 404);
	AT(bdio_fs_info, buffered, 408);
	AT(bdio_fs_info, uring, 412);
	AT(bdio_fs_info, reserved, 416);
}

static void device_info(void)
{
	SIZE(bdio_device_info, 400);
	AT(bdio_device_info, devid, 0);
	AT(bdio_device_info, uuid, 8);
	AT(bdio_device_info, total_bytes, 24);
	AT(bdio_device_info, bytes_used, 32);
	AT(bdio_device_info, size, 40);
	AT(bdio_device_info, generation, 48);
	AT(bdio_device_info, missing, 56);
	AT(bdio_device_info, seed, 60);
	AT(bdio_device_info, buffered, 64);
	AT(bdio_device_info, stale, 68);
	AT(bdio_device_info, write_errors, 72);
	AT(bdio_device_info, read_errors, 80);
	AT(bdio_device_info, flush_errors, 88);
	AT(bdio_device_info, corruption_errors, 96);
	AT(bdio_device_info, generation_errors, 104);
	AT(bdio_device_info, path, 112);
	AT(bdio_device_info, reserved, 368);
}

static void chunk_info(void)
{
	SIZE(bdio_chunk_info, 72);
	AT(bdio_chunk_info, logical, 0);
	AT(bdio_chunk_info, length, 8);
	AT(bdio_chunk_info, flags, 16);
	AT(bdio_chunk_info, used, 24);
	AT(bdio_chunk_info, num_stripes, 32);
	AT(bdio_chunk_info, sub_stripes, 36);
	AT(bdio_chunk_info, data_stripes, 40);
	AT(bdio_chunk_info, copies, 44);
	AT(bdio_chunk_info, parity, 48);
	AT(bdio_chunk_info, missing, 52);
	AT(bdio_chunk_info, reserved, 56);
}

static void counters(void)
{
	SIZE(bdio_counters, 192);
	AT(bdio_counters, syscalls, 0);
	AT(bdio_counters, device_reads, 8);
	AT(bdio_counters, device_read_bytes, 16);
	AT(bdio_counters, user_read_bytes, 24);
	AT(bdio_counters, copied_bytes, 32);
	AT(bdio_counters, verified_bytes, 40);
	AT(bdio_counters, csum_errors, 48);
	AT(bdio_counters, bounces, 56);
	AT(bdio_counters, read_errors, 64);
	AT(bdio_counters, mirror_reads, 72);
	AT(bdio_counters, parity_rebuilds, 80);
	AT(bdio_counters, metadata_errors, 88);
	AT(bdio_counters, node_hits, 96);
	AT(bdio_counters, node_reads, 104);
	AT(bdio_counters, tree_searches, 112);
	AT(bdio_counters, cache_bytes, 120);
	AT(bdio_counters, reserved, 128);
}

static void place(void)
{
	SIZE(bdio_place, 48);
	AT(bdio_place, logical, 0);
	AT(bdio_place, length, 8);
	AT(bdio_place, devid, 16);
	AT(bdio_place, physical, 24);
	AT(bdio_place, copy, 32);
	AT(bdio_place, kind, 36);
	AT(bdio_place, missing, 40);
	AT(bdio_place, reserved, 44);
}

static void stat(void)
{
	SIZE(bdio_stat, 184);
	AT(bdio_stat, ino, 0);
	AT(bdio_stat, mode, 16);
	AT(bdio_stat, nlink, 20);
	AT(bdio_stat, uid, 24);
	AT(bdio_stat, gid, 28);
	AT(bdio_stat, rdev, 32);
	AT(bdio_stat, size, 40);
	AT(bdio_stat, nbytes, 48);
	AT(bdio_stat, flags, 56);
	AT(bdio_stat, generation, 64);
	AT(bdio_stat, transid, 72);
	AT(bdio_stat, atime, 80);
	AT(bdio_stat, mtime, 96);
	AT(bdio_stat, ctime, 112);
	AT(bdio_stat, otime, 128);
	AT(bdio_stat, sequence, 144);
	AT(bdio_stat, reserved, 152);
}

static void ino(void)
{
	SIZE(bdio_ino, 16);
	AT(bdio_ino, subvol, 0);
	AT(bdio_ino, inode, 8);
}

static void timespec(void)
{
	SIZE(bdio_timespec, 16);
	AT(bdio_timespec, sec, 0);
	AT(bdio_timespec, nsec, 8);
	AT(bdio_timespec, reserved, 12);
}

static void queue_opts(void)
{
	SIZE(bdio_queue_opts, 56);
	AT(bdio_queue_opts, size, 0);
	AT(bdio_queue_opts, flags, 8);
	AT(bdio_queue_opts, depth, 16);
	AT(bdio_queue_opts, reserved, 20);
	AT(bdio_queue_opts, reserved2, 24);
}

static void completion(void)
{
	SIZE(bdio_completion, 32);
	AT(bdio_completion, user_data, 0);
	AT(bdio_completion, result, 8);
	AT(bdio_completion, flags, 16);
	AT(bdio_completion, reserved, 20);
	AT(bdio_completion, error, 24);
}

static void subvol(void)
{
	SIZE(bdio_subvol, 480);
	AT(bdio_subvol, id, 0);
	AT(bdio_subvol, parent_id, 8);
	AT(bdio_subvol, dir_inode, 16);
	AT(bdio_subvol, generation, 24);
	AT(bdio_subvol, last_snapshot, 32);
	AT(bdio_subvol, flags, 40);
	AT(bdio_subvol, uuid, 48);
	AT(bdio_subvol, parent_uuid, 64);
	AT(bdio_subvol, received_uuid, 80);
	AT(bdio_subvol, ctransid, 96);
	AT(bdio_subvol, otransid, 104);
	AT(bdio_subvol, stransid, 112);
	AT(bdio_subvol, rtransid, 120);
	AT(bdio_subvol, ctime, 128);
	AT(bdio_subvol, otime, 144);
	AT(bdio_subvol, stime, 160);
	AT(bdio_subvol, rtime, 176);
	AT(bdio_subvol, name, 192);
	AT(bdio_subvol, reserved, 448);
}

static void used(void)
{
	SIZE(bdio_used, 40);
	AT(bdio_used, devid, 0);
	AT(bdio_used, physical, 8);
	AT(bdio_used, length, 16);
	AT(bdio_used, logical, 24);
	AT(bdio_used, kind, 32);
	AT(bdio_used, copy, 36);
}

static const struct unit_test tests[] = {
	UNIT_TEST(changed),	 UNIT_TEST(device),	UNIT_TEST(dirent),
	UNIT_TEST(error),	 UNIT_TEST(extent),	UNIT_TEST(extract_progress),
	UNIT_TEST(extract_opts), UNIT_TEST(open_opts),	UNIT_TEST(fs_info),
	UNIT_TEST(device_info),	 UNIT_TEST(chunk_info), UNIT_TEST(counters),
	UNIT_TEST(place),	 UNIT_TEST(stat),	UNIT_TEST(ino),
	UNIT_TEST(timespec),	 UNIT_TEST(queue_opts), UNIT_TEST(completion),
	UNIT_TEST(subvol),	 UNIT_TEST(used),
};

UNIT_MAIN("abi", tests)
