/* SPDX-License-Identifier: MIT */
/* tests/unit/test_extract.c - extraction into a directory: exact, and safe whatever the image says
 */
#include <fcntl.h>
#include <fts.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "btrfsdio/btrfsdio.h"
#include "disk/csum.h"
#include "disk/node_check.h"
#include "unit.h"

#define BIG_SIZE (3u << 20)
#define SECTOR	 4096u
#define MARK	 "find this sector, please: "

static char base[128]; /* a folder of this test; src and dst in it */

/* --- images -------------------------------------------------------------------------------- */

static char *at(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *at(const char *fmt, ...)
{
	static char paths[4][512];
	static unsigned int turn;
	char *path = paths[turn++ % 4];
	va_list args;
	int n = snprintf(path, sizeof(paths[0]), "%s/", base);

	va_start(args, fmt);
	vsnprintf(path + n, sizeof(paths[0]) - (size_t)n, fmt, args);
	va_end(args);
	return path;
}

/* Runs in the folder; aborts on failure. */
static void sh(const char *commands)
{
	char *line;

	if (asprintf(&line, "cd '%s' && { %s\n}", base, commands) < 0 || system(line)) {
		fprintf(stderr, "failed: %s\n", commands);
		abort();
	}
	free(line);
}

static void put_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd))
		abort();
}

/* Bytes that do not compress, with a mark at the start of each sector, numbered from @mark. */
static void put_marked(const char *path, size_t size, unsigned int mark)
{
	uint8_t *data = malloc(size + SECTOR);
	uint32_t x = mark;

	for (size_t i = 0; data && i < size; i++)
		data[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
	for (size_t at = 0; data && at < size; at += SECTOR)
		snprintf((char *)data + at, 64, MARK "%u", mark++);
	put_file(path, data, size);
	free(data);
}

static void put_big(const char *path)
{
	put_marked(path, BIG_SIZE - 77, 0);
}

static bool setup(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(base, sizeof(base), "%s/bdio-extract-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(base))
		abort();
	sh("mkdir src");
	if (system("PATH=$PATH:/usr/sbin:/sbin command -v mkfs.btrfs > /dev/null") == 0)
		return true;
	unit_skip("needs mkfs.btrfs");
	return false;
}

static void cleanup(void)
{
	char line[512];

	snprintf(line, sizeof(line), "chmod -R u+rwx '%s'; rm -rf '%s'", base, base);
	if (system(line))
		abort();
}

static void make_image(void)
{
	sh("PATH=$PATH:/usr/sbin:/sbin mkfs.btrfs -q -f -m single -n 4096 --rootdir src img "
	   "> log 2>&1");
}

static struct bdio_fs *open_image(void)
{
	const char *path = at("img");
	struct bdio_fs *fs = NULL;

	if (bdio_open(&path, 1, NULL, &fs))
		abort();
	return fs;
}

/* Let @edit change what it wants in each leaf of the top level; true: the block was changed. */
static unsigned int edit_leaves(bool (*edit)(uint8_t *block, uint32_t slot, struct bd_key key))
{
	unsigned int changed = 0;
	struct stat st;
	int fd = open(at("img"), O_RDWR | O_CLOEXEC);
	uint8_t *map, csum[BD_CSUM_SIZE];

	if (fd < 0 || fstat(fd, &st))
		abort();
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		abort();
	for (off_t pos = 1 << 20; pos + SECTOR <= st.st_size; pos += SECTOR) {
		uint8_t *block = map + pos;
		const struct bd_disk_header *header = bd_node_header(block);
		bool touched = false;

		if (bd_le64(header->owner) != BD_OBJ_FS_TREE || header->level)
			continue;
		bd_csum(BD_CSUM_CRC32C, block + 32, SECTOR - 32, csum);
		if (memcmp(csum, block, 4))
			continue;
		for (uint32_t i = 0; i < bd_node_nritems(block); i++)
			touched |= edit(block, i, bd_node_key(block, i));
		bd_csum(BD_CSUM_CRC32C, block + 32, SECTOR - 32, csum);
		memcpy(block, csum, 4);
		changed += touched;
	}
	munmap(map, (size_t)st.st_size);
	close(fd);
	return changed;
}

/* Flip a bit in the data sector that has this mark. */
static void damage_sector(unsigned int number)
{
	char mark[64];
	struct stat st;
	int fd = open(at("img"), O_RDWR | O_CLOEXEC);
	int len = snprintf(mark, sizeof(mark), MARK "%u", number) + 1;
	unsigned int found = 0;
	uint8_t *map;

	if (fd < 0 || fstat(fd, &st))
		abort();
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		abort();
	for (off_t pos = 0; pos + SECTOR <= st.st_size; pos += SECTOR) {
		if (!memcmp(map + pos, mark, (size_t)len)) {
			map[pos + 2000] ^= 4;
			found++;
		}
	}
	munmap(map, (size_t)st.st_size);
	close(fd);
	CU_ASSERT_EQUAL_FATAL(found, 1);
}

/* --- what an extraction says --------------------------------------------------------------- */

struct losses {
	unsigned int n;
	char path[8192];
	struct bdio_error error;
	unsigned int ticks;
	int answer; /* of progress */
};

static void note_loss(void *priv, const char *path, const struct bdio_error *error)
{
	struct losses *losses = priv;

	losses->n++;
	snprintf(losses->path, sizeof(losses->path), "%s", path);
	losses->error = *error;
}

static int note_progress(void *priv, const struct bdio_extract_progress *progress)
{
	struct losses *losses = priv;

	(void)progress;
	losses->ticks++;
	return losses->answer;
}

static struct bdio_extract_progress done;

/* Extract the inode at @path of the image to @dest, with a fresh record of losses. */
static int extract(const char *path, const char *dest, const char *name, uint32_t on_error,
		   struct losses *losses)
{
	struct bdio_extract_opts opts = {.size = sizeof(opts),
					 .on_error = on_error,
					 .lost = note_loss,
					 .progress = note_progress,
					 .priv = losses};
	struct bdio_fs *fs = open_image();
	struct bdio_ino ino = {BDIO_SUBVOL_TOP, BDIO_INODE_ROOT};
	int answer = losses->answer;
	int ret = bdio_lookup(fs, ino, path, strlen(path), 0, &ino);

	*losses = (struct losses){.answer = answer};
	if (!ret)
		ret = bdio_extract(fs, ino, dest, name, &opts, &done);
	bdio_close(fs);
	return ret;
}

/* --- comparing ----------------------------------------------------------------------------- */

static bool same_bytes(const char *a, const char *b)
{
	char line[1200];

	snprintf(line, sizeof(line), "cmp -s '%s' '%s'", a, b);
	return system(line) == 0;
}

static bool same_target(const char *a, const char *b)
{
	char x[4096] = "", y[4096] = "";

	return readlink(a, x, sizeof(x) - 1) > 0 && readlink(b, y, sizeof(y) - 1) > 0 &&
	       !strcmp(x, y);
}

static bool same_entry(const char *src, const char *dst)
{
	struct stat a, b;

	if (lstat(src, &a) || lstat(dst, &b) || a.st_mode != b.st_mode)
		return false;
	if (geteuid() == 0 && (a.st_uid != b.st_uid || a.st_gid != b.st_gid))
		return false;
	if (!S_ISDIR(a.st_mode) && (a.st_nlink != b.st_nlink || a.st_size != b.st_size))
		return false;
	/* mkfs.btrfs takes whole seconds */
	if (a.st_rdev != b.st_rdev || a.st_mtim.tv_sec != b.st_mtim.tv_sec)
		return false;
	if (S_ISLNK(a.st_mode))
		return same_target(src, dst);
	return !S_ISREG(a.st_mode) || same_bytes(src, dst);
}

/* Is all of src in dst? Returns the number of entries; 0: something differs. */
static unsigned int same_trees(const char *src, const char *dst)
{
	char *roots[] = {(char *)(uintptr_t)src, NULL};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	unsigned int n = 0;
	FTSENT *entry;

	while (fts && (entry = fts_read(fts))) {
		char other[1024];

		/* of the top itself mkfs.btrfs takes nothing */
		if (entry->fts_info == FTS_DP || entry->fts_level == FTS_ROOTLEVEL)
			continue;
		snprintf(other, sizeof(other), "%s%s", dst, entry->fts_path + strlen(src));
		if (!same_entry(entry->fts_path, other)) {
			printf("# differs: %s\n", other);
			n = 0;
			break;
		}
		n++;
	}
	fts_close(fts);
	return n;
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* --- exactness ----------------------------------------------------------------------------- */

static void copies_a_tree(void)
{
	struct losses losses = {0};

	if (!setup())
		return cleanup();
	put_big(at("src/big"));
	sh("cd src; mkdir -p a/b/c empty; for i in $(seq 300); do echo $i > a/f$i; done\n"
	   "ln a/f1 a/b/link1; ln a/f1 link2; ln -s ../nowhere a/sym; mkfifo a/b/fifo\n"
	   "truncate -s 5M sparse; printf x | dd of=sparse bs=1 seek=3000000 conv=notrunc "
	   "status=none\n"
	   ": > none; chmod 4751 a/f2; chmod 0 a/f3; chmod 1777 a/b/c; chmod 2750 a/b\n"
	   "chmod 555 empty; touch -h -d '1999-12-31 23:59:59.123456789' a/f4 a/sym a/b/fifo\n"
	   "touch -d '1901-02-03 04:05:06.000000007' a/f5; touch -d 2001-01-01 a/b/c a/b a .");
	make_image();
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), 0);
	CU_ASSERT_EQUAL(losses.n, 0);
	CU_ASSERT(losses.ticks >= 1);
	CU_ASSERT_EQUAL(same_trees(at("src"), at("dst")), 311);
	CU_ASSERT_EQUAL(done.files, 305);
	CU_ASSERT_EQUAL(done.dirs, 5);
	CU_ASSERT_EQUAL(done.others, 2);
	CU_ASSERT_EQUAL(done.errors, 0);
	/* again, over what is there */
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), 0);
	CU_ASSERT_EQUAL(same_trees(at("src"), at("dst")), 311);
	cleanup();
}

static void takes_attributes(void)
{
	struct losses losses = {0};
	char value[70000];
	ssize_t len;

	if (!setup())
		return cleanup();
	sh("echo x > src/file; mkdir src/dir; ln -s x src/sym");
	if (setxattr(at("src/file"), "user.one", "value", 5, 0) ||
	    setxattr(at("src/dir"), "user.empty", "", 0, 0)) {
		unit_skip("no extended attributes here");
		return cleanup();
	}
	/* writable no more when it is time for attributes */
	sh("chmod 444 src/file");
	make_image();
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), 0);
	len = getxattr(at("dst/file"), "user.one", value, sizeof(value));
	CU_ASSERT(len == 5 && !memcmp(value, "value", 5));
	CU_ASSERT_EQUAL(getxattr(at("dst/dir"), "user.empty", value, sizeof(value)), 0);
	cleanup();
}

static void copies_one_file(void)
{
	struct losses losses = {0};

	if (!setup())
		return cleanup();
	sh("echo hello > src/file; ln -s file src/sym; mkdir there; mkdir there/taken");
	make_image();
	CU_ASSERT_EQUAL(extract("/file", at("copy"), "file", 0, &losses), 0);
	CU_ASSERT(same_entry(at("src/file"), at("copy")));
	CU_ASSERT_EQUAL(extract("/file", at("there"), "renamed", 0, &losses), 0);
	CU_ASSERT(same_entry(at("src/file"), at("there/renamed")));
	CU_ASSERT_EQUAL(extract("/sym", at("there"), "sym", 0, &losses), 0);
	CU_ASSERT(same_entry(at("src/sym"), at("there/sym")));
	CU_ASSERT_EQUAL(extract("/file", at("there"), NULL, 0, &losses), -EISDIR);
	CU_ASSERT_EQUAL(extract("/file", at("nowhere/copy"), NULL, 0, &losses), -ENOENT);
	CU_ASSERT_EQUAL(extract("/file", at("new/"), NULL, 0, &losses), -ENOTDIR);
	CU_ASSERT_EQUAL(extract("/", at("copy"), NULL, 0, &losses), -ENOTDIR);
	/* a directory is in the way, and stays */
	CU_ASSERT_EQUAL(extract("/file", at("there"), "taken", 0, &losses), 1);
	CU_ASSERT_EQUAL(losses.error.code, -EISDIR);
	CU_ASSERT_STRING_EQUAL(losses.path, "taken");
	CU_ASSERT(exists(at("there/taken")));
	cleanup();
}

static void refuses_nonsense(void)
{
	struct bdio_extract_opts opts = {.size = sizeof(opts)};
	struct bdio_ino root = {BDIO_SUBVOL_TOP, BDIO_INODE_ROOT};
	struct bdio_fs *fs;

	if (!setup())
		return cleanup();
	make_image();
	fs = open_image();
	CU_ASSERT_EQUAL(bdio_extract(fs, root, NULL, NULL, &opts, NULL), -EINVAL);
	CU_ASSERT_EQUAL(bdio_extract(fs, root, "", NULL, &opts, NULL), -EINVAL);
	CU_ASSERT_EQUAL(bdio_extract(fs, root, at("dst"), "../x", &opts, NULL), -EINVAL);
	CU_ASSERT_EQUAL(bdio_extract(fs, root, at("dst"), "..", &opts, NULL), -EINVAL);
	opts.flags = 1ull << 40;
	CU_ASSERT_EQUAL(bdio_extract(fs, root, at("dst"), NULL, &opts, NULL), -EINVAL);
	opts.flags = 0;
	opts.on_error = BDIO_ON_ERROR_STOP + 1;
	CU_ASSERT_EQUAL(bdio_extract(fs, root, at("dst"), NULL, &opts, NULL), -EINVAL);
	opts.on_error = 0;
	opts.threads = 65;
	CU_ASSERT_EQUAL(bdio_extract(fs, root, at("dst"), NULL, &opts, NULL), -EINVAL);
	opts.threads = 0;
	opts.reserved[3] = 1;
	CU_ASSERT_EQUAL(bdio_extract(fs, root, at("dst"), NULL, &opts, NULL), -EINVAL);
	opts.reserved[3] = 0;
	root.inode = 12345;
	CU_ASSERT_EQUAL(bdio_extract(fs, root, at("dst"), NULL, &opts, &done), -ENOENT);
	CU_ASSERT_FALSE(exists(at("dst")));
	bdio_close(fs);
	cleanup();
}

static void can_be_canceled(void)
{
	struct losses losses = {.answer = 1};

	if (!setup())
		return cleanup();
	sh("for i in $(seq 500); do echo $i > src/$i; done");
	make_image();
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), -ECANCELED);
	CU_ASSERT_EQUAL(bdio_error_get()->code, -ECANCELED);
	CU_ASSERT_EQUAL(losses.ticks, 1);
	cleanup();
}

/* --- losses -------------------------------------------------------------------------------- */

/* Is the copy of "big" right but for sectors [from, to), which are zero? */
static bool big_lacks(unsigned int from, unsigned int to)
{
	char line[1024];

	snprintf(line, sizeof(line),
		 "cd '%s' && cp src/big want && dd if=/dev/zero of=want bs=%u seek=%u count=%u "
		 "conv=notrunc status=none && cmp want dst/big",
		 base, SECTOR, from, to - from);
	return system(line) == 0;
}

static void names_bad_sectors(void)
{
	struct losses losses = {0};
	struct stat st;
	off_t hole;
	int fd;

	if (!setup())
		return cleanup();
	put_big(at("src/big"));
	make_image();
	/* on both sides of a border between two device I/Os: one range all the same */
	for (unsigned int i = 190; i < 194; i++)
		damage_sector(i);
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, BDIO_ON_ERROR_ZERO, &losses), 1);
	CU_ASSERT_EQUAL(losses.n, 1);
	CU_ASSERT_EQUAL(done.errors, 1);
	CU_ASSERT_STRING_EQUAL(losses.path, "big");
	CU_ASSERT_EQUAL(losses.error.code, -EIO);
	CU_ASSERT_EQUAL(losses.error.file_offset, 190 * SECTOR);
	CU_ASSERT_EQUAL(losses.error.file_length, 4 * SECTOR);
	CU_ASSERT(losses.error.has & BDIO_ERROR_CSUM && losses.error.has & BDIO_ERROR_DEVICE);
	CU_ASSERT(big_lacks(190, 194));
	CU_ASSERT_EQUAL(done.bytes, BIG_SIZE - 77 - 4 * SECTOR);

	sh("rm -r dst");
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, BDIO_ON_ERROR_SKIP, &losses), 1);
	CU_ASSERT(big_lacks(190, 194));
	fd = open(at("dst/big"), O_RDONLY | O_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0 && !fstat(fd, &st));
	hole = lseek(fd, 0, SEEK_HOLE);
	CU_ASSERT(hole == 190 * SECTOR || hole == st.st_size);
	close(fd);

	sh("rm -r dst");
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, BDIO_ON_ERROR_STOP, &losses), -EIO);
	CU_ASSERT_EQUAL(losses.n, 1);
	CU_ASSERT_EQUAL(bdio_error_get()->code, -EIO);
	CU_ASSERT_EQUAL(bdio_error_get()->file_offset, 190 * SECTOR);
	cleanup();
}

static void bad_end_keeps_the_size(void)
{
	struct losses losses = {0};
	struct stat st;

	if (!setup())
		return cleanup();
	put_big(at("src/big"));
	make_image();
	damage_sector(BIG_SIZE / SECTOR - 1);
	for (uint32_t how = BDIO_ON_ERROR_ZERO; how <= BDIO_ON_ERROR_SKIP; how++) {
		CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, how, &losses), 1);
		CU_ASSERT_EQUAL(losses.error.file_length, SECTOR - 77);
		CU_ASSERT_EQUAL_FATAL(stat(at("dst/big"), &st), 0);
		CU_ASSERT_EQUAL(st.st_size, BIG_SIZE - 77);
	}
	cleanup();
}

/* Small files are read many at once: that one is bad must not show in the others. */
static void loses_one_of_many(void)
{
	struct losses losses = {0};

	if (!setup())
		return cleanup();
	for (unsigned int i = 0; i < 400; i++)
		put_marked(at("src/f%u", i), 2 * SECTOR + 5 * i, 10000 + 10 * i);
	make_image();
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, BDIO_ON_ERROR_ZERO, &losses), 0);
	CU_ASSERT_EQUAL(same_trees(at("src"), at("dst")), 400);
	damage_sector(10000 + 10 * 77 + 1);
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, BDIO_ON_ERROR_ZERO, &losses), 1);
	CU_ASSERT_EQUAL(losses.n, 1);
	CU_ASSERT_STRING_EQUAL(losses.path, "f77");
	CU_ASSERT_EQUAL(losses.error.file_offset, SECTOR);
	CU_ASSERT_EQUAL(losses.error.file_length, SECTOR);
	sh("dd if=/dev/zero of=src/f77 bs=4096 seek=1 count=1 conv=notrunc status=none\n"
	   "diff -r src dst");
	CU_ASSERT_EQUAL(extract("/", at("stop"), NULL, BDIO_ON_ERROR_STOP, &losses), -EIO);
	cleanup();
}

static bool oversize_extent(uint8_t *block, uint32_t slot, struct bd_key key)
{
	struct bd_disk_file_extent *extent;
	uint32_t size;

	extent = (void *)(uintptr_t)bd_leaf_data(block, slot, &size);
	if (key.type != BD_KEY_EXTENT_DATA || extent->type != BD_FILE_EXTENT_REG)
		return false;
	extent->ram_bytes = bd_to_le64(1ULL << 60);
	extent->disk_num_bytes = bd_to_le64(1ULL << 60);
	extent->num_bytes = bd_to_le64(1ULL << 60);
	return true;
}

static bool oversize_inode(uint8_t *block, uint32_t slot, struct bd_key key)
{
	struct bd_disk_inode_item *item;
	uint32_t size;

	item = (void *)(uintptr_t)bd_leaf_data(block, slot, &size);
	if (key.type != BD_KEY_INODE_ITEM || !S_ISREG(bd_le32(item->mode)))
		return false;
	item->size = bd_to_le64(INT64_MAX);
	return true;
}

/* Sizes that would take years: said at once. */
static void survives_absurd_sizes(void)
{
	struct losses losses = {0};

	if (!setup())
		return cleanup();
	put_big(at("src/file"));
	sh("truncate -s 200000 src/file");
	make_image();
	CU_ASSERT(edit_leaves(oversize_inode));
	CU_ASSERT(extract("/", at("dst"), NULL, 0, &losses) >= 0);
	CU_ASSERT(edit_leaves(oversize_extent));
	for (uint32_t how = BDIO_ON_ERROR_ZERO; how <= BDIO_ON_ERROR_SKIP; how++) {
		CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, how, &losses), 1);
		CU_ASSERT(losses.n >= 1 && losses.n <= 2);
	}
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, BDIO_ON_ERROR_STOP, &losses), -EUCLEAN);
	cleanup();
}

/* --- images that mean harm ----------------------------------------------------------------- */

static uint64_t loop_from, loop_to; /* inodes */

static bool redirect(uint8_t *block, uint32_t slot, struct bd_key key)
{
	struct bd_disk_dir_item *item;
	uint32_t size;

	item = (void *)(uintptr_t)bd_leaf_data(block, slot, &size);
	if (key.type != BD_KEY_DIR_INDEX || bd_le64(item->location.objectid) != loop_from)
		return false;
	item->location.objectid = bd_to_le64(loop_to);
	return true;
}

static uint64_t inode_of(const char *path)
{
	struct bdio_fs *fs = open_image();
	struct bdio_ino ino = {BDIO_SUBVOL_TOP, BDIO_INODE_ROOT};

	CU_ASSERT_EQUAL_FATAL(bdio_lookup(fs, ino, path, strlen(path), 0, &ino), 0);
	bdio_close(fs);
	return ino.inode;
}

static void enters_a_directory_once(void)
{
	static const char *const targets[] = {"/d", "/", "/d/poison/deeper", "/e"};
	struct losses losses = {0};

	if (!setup())
		return cleanup();
	sh("mkdir -p src/d/poison/deeper src/d/x src/e; echo 1 > src/d/file; echo 2 > src/e/file");
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		make_image();
		loop_from = inode_of("/d/x");
		loop_to = inode_of(targets[i]);
		CU_ASSERT_EQUAL(edit_leaves(redirect), 1);
		CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), 1);
		CU_ASSERT_EQUAL(losses.n, 1);
		CU_ASSERT_EQUAL(losses.error.code, -EUCLEAN);
		CU_ASSERT(same_entry(at("src/d/file"), at("dst/d/file")));
		CU_ASSERT_FALSE(exists(at("dst/d/x/x")));
		CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, BDIO_ON_ERROR_STOP, &losses),
				-EUCLEAN);
		sh("rm -r dst");
	}
	cleanup();
}

static const char *bad_name; /* as long as the name that it replaces: "placeholder" */

static bool rename_placeholder(uint8_t *block, uint32_t slot, struct bd_key key)
{
	struct bd_disk_dir_item *item;
	uint32_t size;

	item = (void *)(uintptr_t)bd_leaf_data(block, slot, &size);
	if (key.type != BD_KEY_DIR_INDEX || bd_le16(item->name_len) != 11 ||
	    memcmp(item + 1, "placeholder", 11))
		return false;
	memcpy(item + 1, bad_name, 11);
	return true;
}

static void refuses_names_that_lead_out(void)
{
	static const char *const names[] = {"../../evil1", "/tmp/evil22", "down/evil33",
					    "evil\0inside"};
	struct losses losses = {0};

	if (!setup())
		return cleanup();
	sh("mkdir -p src/d in; echo 1 > src/d/before; echo evil > src/d/placeholder\n"
	   "echo 2 > src/d/zz-after");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		make_image();
		bad_name = names[i];
		CU_ASSERT_EQUAL(edit_leaves(rename_placeholder), 1);
		CU_ASSERT_EQUAL(extract("/", at("in/dst"), NULL, 0, &losses), 1);
		CU_ASSERT_EQUAL(losses.n, 1);
		CU_ASSERT_STRING_EQUAL(losses.path, "d");
		CU_ASSERT(same_entry(at("src/d/before"), at("in/dst/d/before")));
		CU_ASSERT(same_entry(at("src/d/zz-after"), at("in/dst/d/zz-after")));
		sh("! find . -name 'evil*' | grep -q .; rm -r in/dst");
	}
	cleanup();
}

/* Two entries with one name: one of them wins, whatever they are. */
static void survives_names_given_twice(void)
{
	static const char *const kinds[] = {"echo 2 > src/d/placeholder",
					    "mkdir -p src/d/placeholder/sub",
					    "ln -s ../../outside src/d/placeholder",
					    "ln src/d/the-one-top src/d/placeholder"};
	struct losses losses = {0};

	if (!setup())
		return cleanup();
	bad_name = "the-one-top";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		sh("rm -rf src outside; mkdir -p src/d outside; echo 1 > src/d/the-one-top");
		sh(kinds[i]);
		make_image();
		CU_ASSERT_EQUAL(edit_leaves(rename_placeholder), 1);
		CU_ASSERT(extract("/", at("dst"), NULL, 0, &losses) >= 0);
		CU_ASSERT(exists(at("dst/d/the-one-top")));
		sh("[ -z \"$(ls outside)\" ]; rm -r dst");
	}
	cleanup();
}

static void does_not_follow_links(void)
{
	struct losses losses = {0};

	if (!setup())
		return cleanup();
	sh("mkdir -p src/dir src/dir2 outside dst/dir2 real; echo evil > src/dir/file\n"
	   "echo 1 > src/plain; echo 2 > src/dir2/inner; echo kept > outside/kept\n"
	   "ln -s ../outside dst/dir; ln -s ../outside/kept dst/plain\n"
	   "ln -s ../../outside/kept dst/dir2/inner");
	make_image();
	/* the directory cannot be made where a link is; the files replace links */
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), 1);
	CU_ASSERT_EQUAL(losses.n, 1);
	CU_ASSERT_STRING_EQUAL(losses.path, "dir");
	CU_ASSERT(losses.error.code == -ELOOP || losses.error.code == -ENOTDIR);
	CU_ASSERT(same_entry(at("src/plain"), at("dst/plain")));
	CU_ASSERT(same_entry(at("src/dir2/inner"), at("dst/dir2/inner")));
	sh("[ \"$(cat outside/kept)\" = kept ]; [ \"$(ls outside)\" = kept ]");
	/* the destination itself is the caller's word, also as a link */
	sh("ln -s real named");
	CU_ASSERT_EQUAL(extract("/", at("named"), NULL, 0, &losses), 0);
	CU_ASSERT(same_entry(at("src/dir/file"), at("real/dir/file")));
	cleanup();
}

static uint32_t new_nsec;

static bool set_nsec(uint8_t *block, uint32_t slot, struct bd_key key)
{
	struct bd_disk_inode_item *item;
	uint32_t size;

	item = (void *)(uintptr_t)bd_leaf_data(block, slot, &size);
	if (key.type != BD_KEY_INODE_ITEM || S_ISDIR(bd_le32(item->mode)))
		return false;
	item->atime.sec = item->mtime.sec = bd_to_le64((uint64_t)-1000);
	item->atime.nsec = item->mtime.nsec = bd_to_le32(new_nsec);
	return true;
}

static void sets_times_to_the_nanosecond(void)
{
	/* the two last ones are no time, and mean "now" and "leave it" to Linux */
	static const uint32_t values[] = {0, 1, 123456789, 999999999, UTIME_NOW, UTIME_OMIT};
	struct losses losses = {0};
	struct stat st;

	if (!setup())
		return cleanup();
	sh("echo x > src/file; ln -s x src/sym");
	make_image();
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		bool sound = values[i] < 1000000000;

		new_nsec = values[i];
		CU_ASSERT(edit_leaves(set_nsec));
		CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), sound ? 0 : 1);
		CU_ASSERT_EQUAL(losses.n, sound ? 0 : 2);
		CU_ASSERT_EQUAL_FATAL(stat(at("dst/file"), &st), 0);
		CU_ASSERT_EQUAL(st.st_atim.tv_sec, -1000);
		CU_ASSERT_EQUAL(st.st_mtim.tv_sec, -1000);
		CU_ASSERT_EQUAL(st.st_mtim.tv_nsec, sound ? values[i] : 999999999);
		CU_ASSERT_EQUAL_FATAL(lstat(at("dst/sym"), &st), 0);
		CU_ASSERT_EQUAL(st.st_mtim.tv_nsec, sound ? values[i] : 999999999);
	}
	cleanup();
}

static bool one_name(uint8_t *block, uint32_t slot, struct bd_key key)
{
	struct bd_disk_inode_item *item;
	uint32_t size;

	item = (void *)(uintptr_t)bd_leaf_data(block, slot, &size);
	if (key.type != BD_KEY_INODE_ITEM || bd_le32(item->nlink) < 2)
		return false;
	item->nlink = bd_to_le32(2);
	return true;
}

/* More names than the inode says: all are there, whatever they are linked to. */
static void finds_every_name(void)
{
	struct losses losses = {0};
	struct stat st;

	if (!setup())
		return cleanup();
	sh("echo x > src/n1; mkdir src/d; for i in 2 3 4 5 6 7; do ln src/n1 src/d/n$i; done");
	make_image();
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), 0);
	CU_ASSERT_EQUAL_FATAL(stat(at("dst/n1"), &st), 0);
	CU_ASSERT_EQUAL(st.st_nlink, 7);
	sh("rm -r dst");
	CU_ASSERT(edit_leaves(one_name));
	CU_ASSERT_EQUAL(extract("/", at("dst"), NULL, 0, &losses), 0);
	CU_ASSERT_EQUAL(done.files, 7);
	sh("for i in 2 3 4 5 6 7; do cmp src/n1 dst/d/n$i || exit 1; done");
	cleanup();
}

static const struct unit_test tests[] = {
	UNIT_TEST(copies_a_tree),
	UNIT_TEST(takes_attributes),
	UNIT_TEST(copies_one_file),
	UNIT_TEST(refuses_nonsense),
	UNIT_TEST(can_be_canceled),
	UNIT_TEST(names_bad_sectors),
	UNIT_TEST(bad_end_keeps_the_size),
	UNIT_TEST(loses_one_of_many),
	UNIT_TEST(survives_absurd_sizes),
	UNIT_TEST(enters_a_directory_once),
	UNIT_TEST(refuses_names_that_lead_out),
	UNIT_TEST(survives_names_given_twice),
	UNIT_TEST(does_not_follow_links),
	UNIT_TEST(sets_times_to_the_nanosecond),
	UNIT_TEST(finds_every_name),
};
UNIT_MAIN("extract", tests)
