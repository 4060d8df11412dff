/* SPDX-License-Identifier: MIT */
/*
 * disk/format.h - the btrfs on-disk format: constants and structs
 *
 * Every struct names its tree and key, its fields carry offset and unit, its size is a static
 * assert here and is compared with <linux/btrfs_tree.h> by a unit test. Structs may lie at any
 * address: all fields are bytes or packed little-endian types.
 */
#ifndef BD_DISK_FORMAT_H
#define BD_DISK_FORMAT_H

#include <assert.h>
#include "disk/le.h"

#define BD_SUPER_MAGIC		0x4D5F53665248425FULL /* "_BHRfS_M" */
#define BD_SUPER_SIZE		4096u
#define BD_SUPER_COPIES		3 /* at 64 KiB, 64 MiB, 256 GiB */
#define BD_FSID_SIZE		16u
#define BD_UUID_SIZE		16u
#define BD_LABEL_SIZE		256u
#define BD_CSUM_SIZE		32u /* room for the longest checksum */
#define BD_SYS_CHUNK_ARRAY_SIZE 2048u
#define BD_NUM_BACKUP_ROOTS	4
#define BD_MAX_LEVEL		8 /* levels 0..7 */
#define BD_MIN_BLOCKSIZE	4096u
#define BD_MAX_BLOCKSIZE	65536u /* nodesize and sectorsize */
#define BD_STRIPE_LEN		65536u
#define BD_NAME_MAX		255u
#define BD_XATTR_NAME_MAX	255u
#define BD_FIRST_CHUNK_LOGICAL	256ULL
#define BD_DEV_RESERVED		(1024u * 1024u) /* never allocated at the start of a device */

/* objectids */
#define BD_OBJ_ROOT_TREE	1ULL
#define BD_OBJ_EXTENT_TREE	2ULL
#define BD_OBJ_CHUNK_TREE	3ULL
#define BD_OBJ_DEV_TREE		4ULL
#define BD_OBJ_FS_TREE		5ULL
#define BD_OBJ_ROOT_TREE_DIR	6ULL
#define BD_OBJ_CSUM_TREE	7ULL
#define BD_OBJ_QUOTA_TREE	8ULL
#define BD_OBJ_UUID_TREE	9ULL
#define BD_OBJ_FREE_SPACE_TREE	10ULL
#define BD_OBJ_BLOCK_GROUP_TREE 11ULL
#define BD_OBJ_RAID_STRIPE_TREE 12ULL
#define BD_OBJ_REMAP_TREE	13ULL
#define BD_OBJ_DEV_STATS	0ULL
#define BD_OBJ_BALANCE		((uint64_t)-4)
#define BD_OBJ_ORPHAN		((uint64_t)-5)
#define BD_OBJ_TREE_LOG		((uint64_t)-6)
#define BD_OBJ_TREE_LOG_FIXUP	((uint64_t)-7)
#define BD_OBJ_TREE_RELOC	((uint64_t)-8)
#define BD_OBJ_DATA_RELOC_TREE	((uint64_t)-9)
#define BD_OBJ_EXTENT_CSUM	((uint64_t)-10)
#define BD_OBJ_FREE_SPACE	((uint64_t)-11)
#define BD_OBJ_FREE_INO		((uint64_t)-12)
#define BD_OBJ_CSUM_CHANGE	((uint64_t)-13)
#define BD_OBJ_MULTIPLE		((uint64_t)-255)
#define BD_OBJ_FIRST_FREE	256ULL
#define BD_OBJ_LAST_FREE	((uint64_t)-256)
#define BD_OBJ_FIRST_CHUNK_TREE 256ULL
#define BD_OBJ_DEV_ITEMS	1ULL
#define BD_OBJ_EMPTY_SUBVOL_DIR 2ULL

/* item types */
#define BD_KEY_INODE_ITEM	 1
#define BD_KEY_INODE_REF	 12
#define BD_KEY_INODE_EXTREF	 13
#define BD_KEY_XATTR_ITEM	 24
#define BD_KEY_VERITY_DESC	 36
#define BD_KEY_VERITY_MERKLE	 37
#define BD_KEY_ORPHAN_ITEM	 48
#define BD_KEY_DIR_LOG_ITEM	 60
#define BD_KEY_DIR_LOG_INDEX	 72
#define BD_KEY_DIR_ITEM		 84
#define BD_KEY_DIR_INDEX	 96
#define BD_KEY_EXTENT_DATA	 108
#define BD_KEY_EXTENT_CSUM	 128
#define BD_KEY_ROOT_ITEM	 132
#define BD_KEY_ROOT_BACKREF	 144
#define BD_KEY_ROOT_REF		 156
#define BD_KEY_EXTENT_ITEM	 168
#define BD_KEY_METADATA_ITEM	 169
#define BD_KEY_EXTENT_OWNER_REF	 172
#define BD_KEY_TREE_BLOCK_REF	 176
#define BD_KEY_EXTENT_DATA_REF	 178
#define BD_KEY_EXTENT_REF_V0	 180
#define BD_KEY_SHARED_BLOCK_REF	 182
#define BD_KEY_SHARED_DATA_REF	 184
#define BD_KEY_BLOCK_GROUP_ITEM	 192
#define BD_KEY_FREE_SPACE_INFO	 198
#define BD_KEY_FREE_SPACE_EXTENT 199
#define BD_KEY_FREE_SPACE_BITMAP 200
#define BD_KEY_DEV_EXTENT	 204
#define BD_KEY_DEV_ITEM		 216
#define BD_KEY_CHUNK_ITEM	 228
#define BD_KEY_RAID_STRIPE	 230
#define BD_KEY_QGROUP_STATUS	 240
#define BD_KEY_QGROUP_INFO	 242
#define BD_KEY_QGROUP_LIMIT	 244
#define BD_KEY_QGROUP_RELATION	 246
#define BD_KEY_TEMPORARY_ITEM	 248 /* balance state */
#define BD_KEY_PERSISTENT_ITEM	 249 /* device statistics */
#define BD_KEY_DEV_REPLACE	 250
#define BD_KEY_UUID_SUBVOL	 251
#define BD_KEY_UUID_RECEIVED	 252
#define BD_KEY_STRING_ITEM	 253

/* checksum types */
enum bd_csum_type {
	BD_CSUM_CRC32C = 0,
	BD_CSUM_XXHASH64 = 1,
	BD_CSUM_SHA256 = 2,
	BD_CSUM_BLAKE2B = 3,
	BD_CSUM_TYPES
};

/* block group and chunk flags */
#define BD_BG_DATA	(1ULL << 0)
#define BD_BG_SYSTEM	(1ULL << 1)
#define BD_BG_METADATA	(1ULL << 2)
#define BD_BG_RAID0	(1ULL << 3)
#define BD_BG_RAID1	(1ULL << 4)
#define BD_BG_DUP	(1ULL << 5)
#define BD_BG_RAID10	(1ULL << 6)
#define BD_BG_RAID5	(1ULL << 7)
#define BD_BG_RAID6	(1ULL << 8)
#define BD_BG_RAID1C3	(1ULL << 9)
#define BD_BG_RAID1C4	(1ULL << 10)
#define BD_BG_REMAPPED	(1ULL << 11)
#define BD_BG_TYPE_MASK (BD_BG_DATA | BD_BG_SYSTEM | BD_BG_METADATA)
#define BD_BG_PROFILE_MASK                                                                  \
	(BD_BG_RAID0 | BD_BG_RAID1 | BD_BG_DUP | BD_BG_RAID10 | BD_BG_RAID5 | BD_BG_RAID6 | \
	 BD_BG_RAID1C3 | BD_BG_RAID1C4)

/* superblock flags */
#define BD_HEADER_FLAG_WRITTEN		 (1ULL << 0)
#define BD_HEADER_FLAG_RELOC		 (1ULL << 1)
#define BD_SUPER_FLAG_ERROR		 (1ULL << 2)
#define BD_SUPER_FLAG_SEEDING		 (1ULL << 32)
#define BD_SUPER_FLAG_METADUMP		 (1ULL << 33)
#define BD_SUPER_FLAG_METADUMP_V2	 (1ULL << 34)
#define BD_SUPER_FLAG_CHANGING_FSID	 (1ULL << 35)
#define BD_SUPER_FLAG_CHANGING_FSID_V2	 (1ULL << 36)
#define BD_SUPER_FLAG_CHANGING_BG_TREE	 (1ULL << 38)
#define BD_SUPER_FLAG_CHANGING_DATA_CSUM (1ULL << 39)
#define BD_SUPER_FLAG_CHANGING_META_CSUM (1ULL << 40)

/* inode flags */
#define BD_INODE_NODATASUM	(1u << 0)
#define BD_INODE_NODATACOW	(1u << 1)
#define BD_INODE_READONLY	(1u << 2)
#define BD_INODE_NOCOMPRESS	(1u << 3)
#define BD_INODE_PREALLOC	(1u << 4)
#define BD_INODE_SYNC		(1u << 5)
#define BD_INODE_IMMUTABLE	(1u << 6)
#define BD_INODE_APPEND		(1u << 7)
#define BD_INODE_NODUMP		(1u << 8)
#define BD_INODE_NOATIME	(1u << 9)
#define BD_INODE_DIRSYNC	(1u << 10)
#define BD_INODE_COMPRESS	(1u << 11)
#define BD_INODE_ROOT_ITEM_INIT (1u << 31) /* only in the inode of a root item */
#define BD_INODE_FLAG_MASK	(((1u << 12) - 1) | BD_INODE_ROOT_ITEM_INIT)
/* the upper half of the 64-bit field holds read-only-compatible flags */
#define BD_INODE_RO_VERITY (1ULL << 32)

#define BD_ROOT_SUBVOL_RDONLY (1ULL << 0)
#define BD_ROOT_SUBVOL_DEAD   (1ULL << 48)

/* extent item flags */
#define BD_EXTENT_FLAG_DATA	    (1ULL << 0)
#define BD_EXTENT_FLAG_TREE_BLOCK   (1ULL << 1)
#define BD_EXTENT_FLAG_FULL_BACKREF (1ULL << 8)

enum bd_file_extent_type {
	BD_FILE_EXTENT_INLINE = 0,
	BD_FILE_EXTENT_REG = 1,
	BD_FILE_EXTENT_PREALLOC = 2
};
enum bd_compression {
	BD_COMPRESS_NONE = 0,
	BD_COMPRESS_ZLIB = 1,
	BD_COMPRESS_LZO = 2,
	BD_COMPRESS_ZSTD = 3
};

/* directory entry types; the order is that of the kernel's file types */
enum bd_ftype {
	BD_FT_UNKNOWN = 0,
	BD_FT_REG_FILE,
	BD_FT_DIR,
	BD_FT_CHRDEV,
	BD_FT_BLKDEV,
	BD_FT_FIFO,
	BD_FT_SOCK,
	BD_FT_SYMLINK,
	BD_FT_XATTR,
	BD_FT_MAX
};
#define BD_FT_ENCRYPTED 0x80

struct bd_disk_key {
	le64 objectid; /* +0 */
	uint8_t type;  /* +8 */
	le64 offset;   /* +9 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_key) == 17, "key");

/* At the start of every tree block. */
struct bd_disk_header {
	uint8_t csum[BD_CSUM_SIZE]; /* +0 of everything behind it, up to nodesize */
	uint8_t fsid[BD_FSID_SIZE]; /* +32 metadata_uuid where that feature is on */
	le64 bytenr;		    /* +48 own logical address */
	le64 flags;		    /* +56 low 56 bits; the top byte is the backref revision */
	uint8_t chunk_tree_uuid[BD_UUID_SIZE]; /* +64 */
	le64 generation;		       /* +80 */
	le64 owner;			       /* +88 tree that allocated the block */
	le32 nritems;			       /* +96 */
	uint8_t level;			       /* +100 0: leaf */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_header) == 101, "header");

struct bd_disk_item {
	struct bd_disk_key key; /* +0 */
	le32 offset;		/* +17 of the data, from the end of the header */
	le32 size;		/* +21 of the data */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_item) == 25, "item");

struct bd_disk_key_ptr {
	struct bd_disk_key key; /* +0 first key of the child */
	le64 blockptr;		/* +17 logical address of the child */
	le64 generation;	/* +25 of the child */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_key_ptr) == 33, "key ptr");

/* Chunk tree: (DEV_ITEMS, DEV_ITEM, devid); also inside the superblock. */
struct bd_disk_dev_item {
	le64 devid;		    /* +0 */
	le64 total_bytes;	    /* +8 */
	le64 bytes_used;	    /* +16 */
	le32 io_align;		    /* +24 */
	le32 io_width;		    /* +28 */
	le32 sector_size;	    /* +32 */
	le64 type;		    /* +36 */
	le64 generation;	    /* +44 */
	le64 start_offset;	    /* +52 */
	le32 dev_group;		    /* +60 */
	uint8_t seek_speed;	    /* +64 */
	uint8_t bandwidth;	    /* +65 */
	uint8_t uuid[BD_UUID_SIZE]; /* +66 of the device */
	uint8_t fsid[BD_FSID_SIZE]; /* +82 filesystem (or seed) that owns the device */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_dev_item) == 98, "dev item");

struct bd_disk_stripe {
	le64 devid;			/* +0 */
	le64 offset;			/* +8 byte on the device */
	uint8_t dev_uuid[BD_UUID_SIZE]; /* +16 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_stripe) == 32, "stripe");

/* Chunk tree: (FIRST_CHUNK_TREE, CHUNK_ITEM, logical); num_stripes stripes follow. */
struct bd_disk_chunk {
	le64 length;	  /* +0 logical bytes */
	le64 owner;	  /* +8 extent tree's objectid */
	le64 stripe_len;  /* +16 */
	le64 type;	  /* +24 BD_BG_* */
	le32 io_align;	  /* +32 */
	le32 io_width;	  /* +36 */
	le32 sector_size; /* +40 */
	le16 num_stripes; /* +44 */
	le16 sub_stripes; /* +46 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_chunk) == 48, "chunk");

struct bd_disk_backup_root {
	le64 tree_root, tree_root_gen;	   /* +0 */
	le64 chunk_root, chunk_root_gen;   /* +16 */
	le64 extent_root, extent_root_gen; /* +32 block group root with extent-tree-v2 */
	le64 fs_root, fs_root_gen;	   /* +48 */
	le64 dev_root, dev_root_gen;	   /* +64 */
	le64 csum_root, csum_root_gen;	   /* +80 */
	le64 total_bytes;		   /* +96 */
	le64 bytes_used;		   /* +104 */
	le64 num_devices;		   /* +112 */
	le64 unused_64[4];		   /* +120 */
	uint8_t tree_root_level;	   /* +152 */
	uint8_t chunk_root_level;
	uint8_t extent_root_level;
	uint8_t fs_root_level;
	uint8_t dev_root_level;
	uint8_t csum_root_level;
	uint8_t unused_8[10];
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_backup_root) == 168, "backup root");

/* At 64 KiB, 64 MiB and 256 GiB of every device. */
struct bd_disk_super {
	uint8_t csum[BD_CSUM_SIZE];	     /* +0 of everything behind it, up to 4096 */
	uint8_t fsid[BD_FSID_SIZE];	     /* +0x20 what users see */
	le64 bytenr;			     /* +0x30 physical address of this copy */
	le64 flags;			     /* +0x38 */
	le64 magic;			     /* +0x40 */
	le64 generation;		     /* +0x48 */
	le64 root;			     /* +0x50 logical address of the root tree */
	le64 chunk_root;		     /* +0x58 */
	le64 log_root;			     /* +0x60 0: no log */
	le64 log_root_transid;		     /* +0x68 unused by kernels */
	le64 total_bytes;		     /* +0x70 of all devices */
	le64 bytes_used;		     /* +0x78 */
	le64 root_dir_objectid;		     /* +0x80 */
	le64 num_devices;		     /* +0x88 */
	le32 sectorsize;		     /* +0x90 */
	le32 nodesize;			     /* +0x94 */
	le32 leafsize;			     /* +0x98 equals nodesize */
	le32 stripesize;		     /* +0x9c */
	le32 sys_chunk_array_size;	     /* +0xa0 bytes in use */
	le64 chunk_root_generation;	     /* +0xa4 */
	le64 compat_flags;		     /* +0xac */
	le64 compat_ro_flags;		     /* +0xb4 */
	le64 incompat_flags;		     /* +0xbc */
	le16 csum_type;			     /* +0xc4 */
	uint8_t root_level;		     /* +0xc6 */
	uint8_t chunk_root_level;	     /* +0xc7 */
	uint8_t log_root_level;		     /* +0xc8 */
	struct bd_disk_dev_item dev_item;    /* +0xc9 this device */
	char label[BD_LABEL_SIZE];	     /* +0x12b NUL-terminated */
	le64 cache_generation;		     /* +0x22b of the v1 space cache */
	le64 uuid_tree_generation;	     /* +0x233 */
	uint8_t metadata_uuid[BD_FSID_SIZE]; /* +0x23b fsid in tree blocks, with its feature bit */
	le64 nr_global_roots;		     /* +0x24b */
	le64 remap_root;		     /* +0x253 */
	le64 remap_root_generation;	     /* +0x25b */
	uint8_t remap_root_level;	     /* +0x263 */
	uint8_t reserved[199];		     /* +0x264 */
	uint8_t sys_chunk_array[BD_SYS_CHUNK_ARRAY_SIZE];	      /* +0x32b */
	struct bd_disk_backup_root backup_roots[BD_NUM_BACKUP_ROOTS]; /* +0xb2b */
	uint8_t padding[565];					      /* +0xdcb */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_super) == BD_SUPER_SIZE, "super");

struct bd_disk_timespec {
	le64 sec;  /* +0 signed */
	le32 nsec; /* +8 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_timespec) == 12, "timespec");

/* Subvolume trees: (inode, INODE_ITEM, 0). */
struct bd_disk_inode_item {
	le64 generation;	       /* +0 */
	le64 transid;		       /* +8 of the last change */
	le64 size;		       /* +16 */
	le64 nbytes;		       /* +24 on disk, before compression */
	le64 block_group;	       /* +32 unused */
	le32 nlink;		       /* +40 */
	le32 uid;		       /* +44 */
	le32 gid;		       /* +48 */
	le32 mode;		       /* +52 */
	le64 rdev;		       /* +56 */
	le64 flags;		       /* +64 */
	le64 sequence;		       /* +72 */
	le64 reserved[4];	       /* +80 */
	struct bd_disk_timespec atime; /* +112 */
	struct bd_disk_timespec ctime; /* +124 */
	struct bd_disk_timespec mtime; /* +136 */
	struct bd_disk_timespec otime; /* +148 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_inode_item) == 160, "inode item");

/* (inode, INODE_REF, parent directory); repeated, each followed by name_len bytes. */
struct bd_disk_inode_ref {
	le64 index;    /* +0 the entry's DIR_INDEX offset */
	le16 name_len; /* +8 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_inode_ref) == 10, "inode ref");

/* (inode, INODE_EXTREF, hash); repeated, each followed by name_len bytes. */
struct bd_disk_inode_extref {
	le64 parent;   /* +0 directory */
	le64 index;    /* +8 */
	le16 name_len; /* +16 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_inode_extref) == 18, "inode extref");

/* (dir, DIR_ITEM|XATTR_ITEM, hash) repeated, or (dir, DIR_INDEX, index) once; name, then data
 * follow. */
struct bd_disk_dir_item {
	struct bd_disk_key location; /* +0 INODE_ITEM, or ROOT_ITEM of a subvolume */
	le64 transid;		     /* +17 */
	le16 data_len;		     /* +25 of an xattr's value, else 0 */
	le16 name_len;		     /* +27 */
	uint8_t type;		     /* +29 BD_FT_* */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_dir_item) == 30, "dir item");

/* (inode, EXTENT_DATA, file offset). An inline extent ends after `type`; its data follow. */
struct bd_disk_file_extent {
	le64 generation;     /* +0 */
	le64 ram_bytes;	     /* +8 decompressed size of the whole extent */
	uint8_t compression; /* +16 */
	uint8_t encryption;  /* +17 0 */
	le16 other_encoding; /* +18 0 */
	uint8_t type;	     /* +20 enum bd_file_extent_type */
	le64 disk_bytenr;    /* +21 logical; 0: hole */
	le64 disk_num_bytes; /* +29 size of the extent on disk */
	le64 offset;	     /* +37 into the decompressed extent */
	le64 num_bytes;	     /* +45 of the file */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_file_extent) == 53, "file extent");
#define BD_FILE_EXTENT_INLINE_HDR 21u

/* Root tree: (tree id, ROOT_ITEM, 0 or the generation of a snapshot). Old ones end after `level`.
 */
struct bd_disk_root_item {
	struct bd_disk_inode_item inode;  /* +0 */
	le64 generation;		  /* +160 */
	le64 root_dirid;		  /* +168 */
	le64 bytenr;			  /* +176 */
	le64 byte_limit;		  /* +184 */
	le64 bytes_used;		  /* +192 */
	le64 last_snapshot;		  /* +200 */
	le64 flags;			  /* +208 BD_ROOT_* */
	le32 refs;			  /* +216 0: being deleted */
	struct bd_disk_key drop_progress; /* +220 */
	uint8_t drop_level;		  /* +237 */
	uint8_t level;			  /* +238 */
	le64 generation_v2;		  /* +239 the rest is valid only when equal to generation */
	uint8_t uuid[BD_UUID_SIZE];	  /* +247 */
	uint8_t parent_uuid[BD_UUID_SIZE];		    /* +263 */
	uint8_t received_uuid[BD_UUID_SIZE];		    /* +279 */
	le64 ctransid, otransid, stransid, rtransid;	    /* +295 */
	struct bd_disk_timespec ctime, otime, stime, rtime; /* +327 */
	le64 reserved[8];				    /* +375 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_root_item) == 439, "root item");
#define BD_ROOT_ITEM_V0_SIZE 239u

/* Root tree: (parent, ROOT_REF, child) and (child, ROOT_BACKREF, parent); name_len bytes follow. */
struct bd_disk_root_ref {
	le64 dirid;    /* +0 directory in the parent subvolume */
	le64 sequence; /* +8 DIR_INDEX offset */
	le16 name_len; /* +16 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_root_ref) == 18, "root ref");

/* Extent tree: (logical, EXTENT_ITEM, length) or (logical, METADATA_ITEM, level); inline refs
 * follow. */
struct bd_disk_extent_item {
	le64 refs;	 /* +0 */
	le64 generation; /* +8 */
	le64 flags;	 /* +16 BD_EXTENT_FLAG_* */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_extent_item) == 24, "extent item");

/* Follows an EXTENT_ITEM (not a METADATA_ITEM) of a tree block. */
struct bd_disk_tree_block_info {
	struct bd_disk_key key; /* +0 first key of the block */
	uint8_t level;		/* +17 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_tree_block_info) == 18, "tree block info");

struct bd_disk_extent_inline_ref {
	uint8_t type; /* +0 BD_KEY_*_REF */
	le64 offset;  /* +1 root, or parent block; absent in EXTENT_DATA_REF */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_extent_inline_ref) == 9, "inline ref");

struct bd_disk_extent_data_ref {
	le64 root;     /* +0 */
	le64 objectid; /* +8 inode */
	le64 offset;   /* +16 file offset − offset into the extent; may wrap */
	le32 count;    /* +24 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_extent_data_ref) == 28, "data ref");

struct bd_disk_shared_data_ref {
	le32 count; /* +0 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_shared_data_ref) == 4, "shared data ref");

struct bd_disk_extent_owner_ref {
	le64 root_id; /* +0 simple quotas: subvolume that is charged */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_extent_owner_ref) == 8, "owner ref");

/* Extent or block group tree: (logical, BLOCK_GROUP_ITEM, length). */
struct bd_disk_block_group_item {
	le64 used;	     /* +0 */
	le64 chunk_objectid; /* +8 */
	le64 flags;	     /* +16 BD_BG_* */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_block_group_item) == 24, "block group");

/* Free space tree: (block group start, FREE_SPACE_INFO, length). */
struct bd_disk_free_space_info {
	le32 extent_count; /* +0 */
	le32 flags;	   /* +4 bit 0: bitmaps are used */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_free_space_info) == 8, "free space info");
#define BD_FREE_SPACE_USING_BITMAPS 1u
#define BD_FREE_SPACE_BITMAP_SIZE   256u /* bytes; one bit a sector */

/* Root tree: (FREE_SPACE, 0, block group start): v1 space cache. */
struct bd_disk_free_space_header {
	struct bd_disk_key location; /* +0 */
	le64 generation;	     /* +17 */
	le64 num_entries;	     /* +25 */
	le64 num_bitmaps;	     /* +33 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_free_space_header) == 41, "free space header");

/* Device tree: (devid, DEV_EXTENT, physical). */
struct bd_disk_dev_extent {
	le64 chunk_tree;		       /* +0 */
	le64 chunk_objectid;		       /* +8 */
	le64 chunk_offset;		       /* +16 logical */
	le64 length;			       /* +24 */
	uint8_t chunk_tree_uuid[BD_UUID_SIZE]; /* +32 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_dev_extent) == 48, "dev extent");

/* Device tree: (DEV_STATS, PERSISTENT_ITEM, devid): write, read, flush, corruption, generation
 * errors. */
#define BD_DEV_STATS_VALUES 5
struct bd_disk_dev_stats {
	le64 values[BD_DEV_STATS_VALUES];
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_dev_stats) == 40, "dev stats");

/* Device tree: (0, DEV_REPLACE, 0): a replacement of one device that runs or ran. */
struct bd_disk_dev_replace {
	le64 src_devid;		    /* +0 */
	le64 cursor_left;	    /* +8 physical */
	le64 cursor_right;	    /* +16 */
	le64 cont_reading_from_src; /* +24 */
	le64 state;	   /* +32 0 never, 1 started, 2 finished, 3 canceled, 4 suspended */
	le64 time_started; /* +40 s */
	le64 time_stopped; /* +48 s */
	le64 write_errors; /* +56 */
	le64 uncorrectable_read_errors; /* +64 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_dev_replace) == 72, "dev replace");

/* The filter of one kind of block groups in a balance; its flags say which fields count. */
struct bd_disk_balance_args {
	le64 profiles;		       /* +0 BD_BG_* */
	le64 usage;		       /* +8 percent; as a range: two le32 */
	le64 devid;		       /* +16 */
	le64 pstart, pend;	       /* +24 physical */
	le64 vstart, vend;	       /* +40 logical */
	le64 target;		       /* +56 BD_BG_* to convert to */
	le64 flags;		       /* +64 */
	le64 limit;		       /* +72 as a range: two le32 */
	le32 stripes_min, stripes_max; /* +80 */
	le64 unused[6];		       /* +88 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_balance_args) == 136, "balance args");

/* Root tree: (BALANCE, TEMPORARY_ITEM, 0): a balance that was interrupted. */
struct bd_disk_balance {
	le64 flags; /* +0 bits 0..2: data, system, metadata are balanced */
	struct bd_disk_balance_args data, meta, sys; /* +8 */
	le64 unused[4];				     /* +416 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_balance) == 448, "balance");

/* Quota tree. */
struct bd_disk_qgroup_status {
	le64 version;	 /* +0 */
	le64 generation; /* +8 */
	le64 flags;	 /* +16 */
	le64 rescan;	 /* +24 */
	le64 enable_gen; /* +32 only with simple quotas */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_qgroup_status) == 40, "qgroup status");
#define BD_QGROUP_STATUS_OLD_SIZE 32u

struct bd_disk_qgroup_info {
	le64 generation, rfer, rfer_cmpr, excl, excl_cmpr;
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_qgroup_info) == 40, "qgroup info");

struct bd_disk_qgroup_limit {
	le64 flags, max_rfer, max_excl, rsv_rfer, rsv_excl;
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_qgroup_limit) == 40, "qgroup limit");

/* Subvolume trees: (inode, VERITY_DESC, 0). Descriptor and Merkle tree follow at other offsets. */
struct bd_disk_verity_descriptor {
	le64 size;	    /* +0 */
	le64 reserved[2];   /* +8 */
	uint8_t encryption; /* +24 */
} __attribute__((packed));
static_assert(sizeof(struct bd_disk_verity_descriptor) == 25, "verity descriptor");

/* feature bits */
#define BD_COMPAT_RO_FREE_SPACE_TREE	   (1ULL << 0)
#define BD_COMPAT_RO_FREE_SPACE_TREE_VALID (1ULL << 1)
#define BD_COMPAT_RO_VERITY		   (1ULL << 2)
#define BD_COMPAT_RO_BLOCK_GROUP_TREE	   (1ULL << 3)

#define BD_INCOMPAT_MIXED_BACKREF    (1ULL << 0)
#define BD_INCOMPAT_DEFAULT_SUBVOL   (1ULL << 1)
#define BD_INCOMPAT_MIXED_GROUPS     (1ULL << 2)
#define BD_INCOMPAT_COMPRESS_LZO     (1ULL << 3)
#define BD_INCOMPAT_COMPRESS_ZSTD    (1ULL << 4)
#define BD_INCOMPAT_BIG_METADATA     (1ULL << 5)
#define BD_INCOMPAT_EXTENDED_IREF    (1ULL << 6)
#define BD_INCOMPAT_RAID56	     (1ULL << 7)
#define BD_INCOMPAT_SKINNY_METADATA  (1ULL << 8)
#define BD_INCOMPAT_NO_HOLES	     (1ULL << 9)
#define BD_INCOMPAT_METADATA_UUID    (1ULL << 10)
#define BD_INCOMPAT_RAID1C34	     (1ULL << 11)
#define BD_INCOMPAT_ZONED	     (1ULL << 12)
#define BD_INCOMPAT_EXTENT_TREE_V2   (1ULL << 13)
#define BD_INCOMPAT_RAID_STRIPE_TREE (1ULL << 14)
#define BD_INCOMPAT_SIMPLE_QUOTA     (1ULL << 16)
#define BD_INCOMPAT_REMAP_TREE	     (1ULL << 17)

#endif
