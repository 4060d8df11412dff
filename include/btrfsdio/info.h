/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/info.h - what the superblock, the devices and the chunks say, and counters
 *
 * All calls are thread-safe and read memory only, unless said otherwise.
 */
#ifndef BTRFSDIO_INFO_H
#define BTRFSDIO_INFO_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* block group flags, as on disk */
#define BDIO_BG_DATA	 (1ull << 0)
#define BDIO_BG_SYSTEM	 (1ull << 1)
#define BDIO_BG_METADATA (1ull << 2)
#define BDIO_BG_RAID0	 (1ull << 3)
#define BDIO_BG_RAID1	 (1ull << 4)
#define BDIO_BG_DUP	 (1ull << 5)
#define BDIO_BG_RAID10	 (1ull << 6)
#define BDIO_BG_RAID5	 (1ull << 7)
#define BDIO_BG_RAID6	 (1ull << 8)
#define BDIO_BG_RAID1C3	 (1ull << 9)
#define BDIO_BG_RAID1C4	 (1ull << 10)

/* remarks about the superblocks, in bdio_fs_info.super_remarks */
#define BDIO_SUPER_PRIMARY_BAD (1u << 0) /* a primary is unusable, a copy was used */
#define BDIO_SUPER_MIRROR_NEWER \
	(1u << 1) /* a matching copy has a higher generation than the primary */
#define BDIO_SUPER_MIRROR_OLDER	  (1u << 2)
#define BDIO_SUPER_MIRROR_FOREIGN (1u << 3) /* a copy belongs to another filesystem or device */
#define BDIO_SUPER_MIRROR_BAD	  (1u << 4) /* a copy is damaged or missing inside the device */
#define BDIO_SUPER_DEVICE_STALE	  (1u << 5) /* a device has an older generation than the others */

struct bdio_fs_info {
	uint8_t fsid[16];
	uint8_t metadata_uuid[16]; /* equals fsid unless that feature is on */
	char label[257];	   /* terminated; any bytes */
	char csum_name[15];	   /* "crc32c", "xxhash64", "sha256", "blake2b" */
	uint64_t generation;	   /* of the committed state that is read */
	uint64_t total_bytes;	   /* of all devices */
	uint64_t bytes_used;
	uint64_t compat_flags, compat_ro_flags, incompat_flags;
	uint64_t super_flags;
	uint64_t num_devices; /* that the filesystem has */
	uint64_t default_subvol;
	uint32_t missing_devices;
	uint32_t sectorsize, nodesize;
	uint32_t csum_type;	/* number on disk */
	uint32_t csum_size;	/* bytes of one checksum */
	uint32_t super_copy;	/* 1..3: copy that was used */
	uint32_t super_remarks; /* BDIO_SUPER_* */
	uint32_t log_present;	/* 1: there is a log tree, and it was not applied */
	uint32_t buffered; /* 1: some device is read through the page cache, O_DIRECT was refused */
	uint32_t uring;	   /* 1: io_uring is used, 0: blocking calls */
	uint64_t reserved[8];
};

struct bdio_device_info {
	uint64_t devid;
	uint8_t uuid[16];
	uint64_t total_bytes; /* as the filesystem says */
	uint64_t bytes_used;  /* allocated to chunks */
	uint64_t size;	      /* of the file or device behind it; 0 when missing */
	uint64_t generation;  /* of its superblock; 0 when missing */
	uint32_t missing;     /* 1: not found */
	uint32_t seed;	      /* 1: belongs to a seed filesystem */
	uint32_t buffered;
	uint32_t stale; /* 1: its superblock's generation lags behind */
	/* error counters as `btrfs device stats` shows them, from the device tree; */
	uint64_t write_errors, read_errors, flush_errors, corruption_errors, generation_errors;
	char path[256]; /* cut when longer; empty when missing */
	uint64_t reserved[4];
};

struct bdio_chunk_info {
	uint64_t logical, length; /* bytes */
	uint64_t flags;		  /* BDIO_BG_* */
	uint64_t used; /* bytes, from its block group item; UINT64_MAX when there is none */
	uint32_t num_stripes;
	uint32_t sub_stripes;
	uint32_t data_stripes; /* stripes that hold distinct data */
	uint32_t copies;       /* places where each byte lies, parity not counted */
	uint32_t parity;       /* 0, 1 or 2 */
	uint32_t missing;      /* stripes on missing devices */
	uint64_t reserved[2];
};

/* What has happened since bdio_open(). */
struct bdio_counters {
	uint64_t syscalls;     /* for I/O: io_uring_enter, preadv */
	uint64_t device_reads; /* I/Os */
	uint64_t device_read_bytes;
	uint64_t user_read_bytes; /* delivered by reads of file data */
	uint64_t copied_bytes;	  /* of file data, copied inside the library */
	uint64_t verified_bytes;  /* of file data whose checksum was compared */
	uint64_t csum_errors;	  /* sectors whose checksum was wrong on a device */
	uint64_t bounces;	  /* sectors where the caller's buffer, not the device, was wrong */
	uint64_t read_errors;	  /* device I/Os that failed */
	uint64_t mirror_reads;	  /* reads served by another copy after a failure */
	uint64_t parity_rebuilds; /* reads rebuilt from parity */
	uint64_t metadata_errors; /* copies of tree blocks that failed a check */
	uint64_t node_hits, node_reads; /* tree blocks found in the cache, read from a device */
	uint64_t tree_searches;
	uint64_t cache_bytes; /* in use now */
	uint64_t reserved[8];
};

BDIO_API void bdio_fs_get_info(const struct bdio_fs *fs, struct bdio_fs_info *out);
BDIO_API void bdio_fs_get_counters(struct bdio_fs *fs, struct bdio_counters *out);

/* Number of devices, missing ones included; index is 0..n-1 in order of devid. */
BDIO_API size_t bdio_device_count(const struct bdio_fs *fs);
/* May read the device tree. Return: 0; -EINVAL no such index; errors of a tree read. */
BDIO_API int bdio_device_get_info(struct bdio_fs *fs, size_t index, struct bdio_device_info *out);

/* Number of chunks; index is 0..n-1 in order of logical address. */
BDIO_API size_t bdio_chunk_count(const struct bdio_fs *fs);
/* Reads the block group item. Return: 0; -EINVAL no such index; errors of a tree read. */
BDIO_API int bdio_chunk_get_info(struct bdio_fs *fs, size_t index, struct bdio_chunk_info *out);

/**
 * bdio_features_text() - names of feature bits
 * @set: 0 compat, 1 compat_ro, 2 incompat
 * @buf, @size: always terminated when @size > 0; "extref,no-holes"; unknown bits as "0x10000"
 */
BDIO_API void bdio_features_text(int set, uint64_t bits, char *buf, size_t size);

/* one physical place of a logical range */
#define BDIO_PLACE_DATA	  0u
#define BDIO_PLACE_PARITY 1u /* P of RAID5/6 */
#define BDIO_PLACE_Q	  2u /* Q of RAID6 */

struct bdio_place {
	uint64_t logical; /* first byte that this place holds (for parity: of the full stripe's
			     part) */
	uint64_t length;  /* bytes */
	uint64_t devid;
	uint64_t physical; /* byte on that device, without bdio_open_opts.offset */
	uint32_t copy;	   /* 0, 1, ... for mirrors */
	uint32_t kind;	   /* BDIO_PLACE_* */
	uint32_t missing;  /* 1: the device is missing */
	uint32_t reserved;
};

/**
 * bdio_logical_map() - all physical places of a logical range
 * @logical, @length: bytes; length > 0
 * @out, @max: array for the places; may be NULL when @max is 0
 *
 * Return: the number of places there are (when larger than @max, only @max were written);
 * -EINVAL the range is not inside chunks or is empty.
 */
BDIO_API ssize_t bdio_logical_map(const struct bdio_fs *fs, uint64_t logical, uint64_t length,
				  struct bdio_place *out, size_t max);

#ifdef __cplusplus
}
#endif
#endif
