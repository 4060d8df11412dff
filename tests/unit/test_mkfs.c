/* SPDX-License-Identifier: MIT */
/* tests/unit/test_mkfs.c - images that mkfs.btrfs made of a folder, read back byte by byte */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/math.h"
#include "base/mem.h"
#include "btrfsdio/btrfsdio.h"
#include "image_build.h"

#define FILES 8u

static const struct {
	const char *name;
	size_t size;
	bool soft; /* compresses well */
} files[FILES] = {
	{"empty", 0, false},	 {"one", 1, false},	   {"small", 1500, false},
	{"sector", 4096, true},	 {"odd", 100001, false},   {"soft", 700 * 1024 + 5, true},
	{"big", 3 << 20, false}, {"mixed", 1 << 20, true},
};

static char folder[128], image[160];
static uint8_t *contents[FILES];

static uint64_t state = 3;

static uint64_t rnd(uint64_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

static void make_folder(void)
{
	const char *tmp = getenv("BDIO_TMP") ?: getenv("TMPDIR") ?: "/tmp";
	char path[256];

	snprintf(folder, sizeof(folder), "%s/bdio-mkfs-XXXXXX", tmp);
	if (!mkdtemp(folder))
		abort();
	snprintf(image, sizeof(image), "%s.img", folder);
	for (unsigned int i = 0; i < FILES; i++) {
		FILE *f;

		contents[i] = malloc(files[i].size + 1);
		img_bytes(contents[i], files[i].size, i);
		for (size_t b = 0; files[i].soft && b < files[i].size; b++)
			contents[i][b] = b % 5 ? (uint8_t)(b >> 8) : contents[i][b];
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		f = fopen(path, "w");
		if (!f || fwrite(contents[i], 1, files[i].size, f) != files[i].size || fclose(f))
			abort();
	}
}

static void remove_folder(void)
{
	char path[256];

	for (unsigned int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		unlink(path);
		free(contents[i]);
	}
	rmdir(folder);
	unlink(image);
}

/* The newer mkfs.btrfs, when scripts/fetch-btrfs-progs unpacked it. */
static const char *mkfs614(void)
{
	static char path[512];
	const char *source = getenv("BDIO_SOURCE");

	snprintf(path, sizeof(path), "%s/build/btrfs-progs-6.14/bin/mkfs.btrfs",
		 source ? source : ".");
	return access(path, X_OK) ? NULL : path;
}

static bool mkfs(const char *program, const char *options)
{
	char command[1024];

	unlink(image);
	snprintf(command, sizeof(command),
		 "truncate -s 160M '%s' && '%s' -q %s --rootdir '%s' '%s' > /dev/null 2>&1", image,
		 program, options, folder, image);
	return system(command) == 0;
}

/* A read of any range through the calls that block. */
static void read_ranges(struct bdio_file *file, unsigned int i, uint8_t *buf)
{
	CU_ASSERT_EQUAL(bdio_file_read(file, buf, files[i].size + 10, 0, 0),
			(ssize_t)files[i].size);
	CU_ASSERT_EQUAL(memcmp(buf, contents[i], files[i].size), 0);
	for (unsigned int n = 0; n < 40 && files[i].size; n++) {
		uint64_t at = rnd(files[i].size);
		size_t len = 1 + rnd(50000), skew = rnd(2) ? 0 : rnd(4096);
		size_t want = bd_min_u64(len, files[i].size - at);

		CU_ASSERT_EQUAL(bdio_file_read(file, buf + skew, len, at, 0), (ssize_t)want);
		CU_ASSERT_EQUAL(memcmp(buf + skew, contents[i] + at, want), 0);
	}
}

/* And through a queue, many at once. */
static void read_queued(struct bdio_fs *fs, struct bdio_file *file, unsigned int i, uint8_t *buf)
{
	struct bdio_completion done[64];
	struct bdio_queue *q;
	uint64_t count = (files[i].size + 65535) / 65536;

	CU_ASSERT_EQUAL_FATAL(bdio_queue_create(fs, NULL, &q), 0);
	for (uint64_t n = 0; n < count; n++)
		CU_ASSERT_EQUAL(bdio_queue_read(q, file, buf + n * 65536, 65536, n * 65536, 0, n),
				0);
	CU_ASSERT_EQUAL(bdio_queue_submit(q), (int)count);
	for (uint64_t n = 0; n < count; n++) {
		CU_ASSERT_EQUAL_FATAL(bdio_queue_wait(q, done, 1, 1, -1), 1);
		CU_ASSERT_EQUAL(done[0].result,
				(ssize_t)bd_min_u64(65536,
						    files[i].size - done[0].user_data * 65536));
	}
	CU_ASSERT_EQUAL(memcmp(buf, contents[i], files[i].size), 0);
	bdio_queue_destroy(q);
}

static void read_image(uint64_t flags)
{
	struct bdio_open_opts opts = {.size = sizeof(opts), .flags = flags};
	const char *paths[] = {image};
	uint8_t *buf = bd_alloc_aligned(4096, 4 << 20);
	struct bdio_counters c;
	struct bdio_fs *fs;

	CU_ASSERT_EQUAL_FATAL(bdio_open(paths, 1, &opts, &fs), 0);
	for (unsigned int i = 0; i < FILES; i++) {
		struct bdio_file *file;
		struct bdio_ino ino;

		CU_ASSERT_EQUAL_FATAL(
			bdio_lookup(fs, (struct bdio_ino){BDIO_SUBVOL_TOP, BDIO_INODE_ROOT},
				    files[i].name, strlen(files[i].name), 0, &ino),
			0);
		CU_ASSERT_EQUAL_FATAL(bdio_file_open(fs, ino, &file), 0);
		CU_ASSERT_EQUAL(bdio_file_size(file), files[i].size);
		read_ranges(file, i, buf);
		memset(buf, 0xee, files[i].size);
		read_queued(fs, file, i, buf);
		bdio_file_close(file);
	}
	bdio_fs_get_counters(fs, &c);
	CU_ASSERT(c.verified_bytes > 0);
	CU_ASSERT_EQUAL(c.csum_errors + c.read_errors + c.metadata_errors, 0);
	bdio_close(fs);
	free(buf);
}

static void debian12(void)
{
	static const char *const options[] = {
		"",
		"--mixed --nodesize 4096",
		"-m dup -d dup --csum xxhash",
		"--csum sha256 -O ^no-holes",
		"--csum blake2 -O ^skinny-metadata --nodesize 32768",
	};

	if (system("command -v mkfs.btrfs > /dev/null 2>&1")) {
		unit_skip("mkfs.btrfs is not installed");
		return;
	}
	make_folder();
	for (unsigned int i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		CU_ASSERT_FATAL(mkfs("mkfs.btrfs", options[i]));
		read_image(i % 2 ? BDIO_OPEN_BLOCKING : 0);
	}
	remove_folder();
}

static void compressed(void)
{
	static const char *const options[] = {"--compress zlib", "--compress lzo",
					      "--compress zstd:9",
					      "--compress zstd --nodesize 65536"};

	if (!mkfs614()) {
		unit_skip("btrfs-progs 6.14 is not in build/ (scripts/fetch-btrfs-progs)");
		return;
	}
	make_folder();
	for (unsigned int i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		CU_ASSERT_FATAL(mkfs(mkfs614(), options[i]));
		read_image(0);
	}
	remove_folder();
}

static const struct unit_test tests[] = {
	UNIT_TEST(debian12),
	UNIT_TEST(compressed),
};
UNIT_MAIN("mkfs", tests)
