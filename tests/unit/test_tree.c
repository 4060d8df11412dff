/* SPDX-License-Identifier: MIT */
/* tests/unit/test_tree.c - search and iteration; blocks that are sound but not what was meant */
#include "unit.h"

#include <errno.h>
#include "btrfsdio/btrfsdio.h"
#include "image_build.h"
#include "ops/changed.h"

#define ITEMS	20000u /* of 4 KiB blocks: three levels */
#define FIRST	1000u  /* objectid */
#define UNKNOWN 101u   /* an item type that nobody knows, so that any content passes */

/* Key of the n-th item: objectids in fours, offsets with gaps. */
static struct bd_key nth(unsigned int n)
{
	return bd_key(FIRST + n / 4 * 2, UNKNOWN, n % 4 * 10 + 5);
}

struct grove {
	struct img *img;
	struct bdio_fs *fs;
	struct bd_tree tree;
	unsigned int below; /* items of the tree before the first */
};

static void grove_init(struct grove *g)
{
	g->img = img_new(&(struct img_opts){.meta = BD_BG_DUP});
	for (uint64_t n = 0; n < ITEMS; n++)
		img_item(g->img, BD_OBJ_FS_TREE, nth((unsigned int)n), &n, sizeof(n));
	img_finish(g->img);
	CU_ASSERT_EQUAL_FATAL(img_open(g->img, 0, &g->fs), 0);
	CU_ASSERT_EQUAL_FATAL(bd_subvol_tree(g->fs, BDIO_SUBVOL_TOP, &g->tree), 0);
	CU_ASSERT_EQUAL_FATAL(g->tree.level, 2);
	g->below = 1; /* the root directory */
}

static void grove_fini(struct grove *g)
{
	bdio_close(g->fs);
	img_free(g->img);
}

static uint64_t payload(const struct bd_path *path)
{
	uint64_t n;
	uint32_t size;
	const void *data = bd_path_data(path, &size);

	CU_ASSERT_EQUAL_FATAL(size, sizeof(n));
	memcpy(&n, data, sizeof(n));
	return n;
}

static void iterates_both_ways(void)
{
	struct bd_key key = nth(0), found;
	struct bd_path path;
	struct grove g;
	unsigned int n = 0;
	int ret;

	grove_init(&g);
	bd_path_init(&path);
	for (ret = bd_tree_first(&g.tree, &key, &path, &found); ret == 0;
	     ret = bd_path_next(&g.tree, &path), n++) {
		struct bd_key at = bd_path_key(&path), want = nth(n);

		if (bd_key_cmp(&at, &want) || payload(&path) != n)
			break;
	}
	CU_ASSERT_EQUAL(n, ITEMS);
	CU_ASSERT_EQUAL(ret, 1);
	/* the end stays the end */
	CU_ASSERT_EQUAL(bd_path_next(&g.tree, &path), 1);
	CU_ASSERT_EQUAL(bd_path_next(&g.tree, &path), 1);
	/* the way back: between two keys is the lower one */
	for (; n > 0; n--) {
		struct bd_key at = nth(n - 1);

		at.offset++;
		if (bd_tree_last(&g.tree, &at, &path, &found) || payload(&path) != n - 1)
			break;
	}
	CU_ASSERT_EQUAL(n, 0);
	bd_path_release(&path);
	grove_fini(&g);
}

/* Index of the first item that is not below @key; ITEMS: none. */
static unsigned int model_first(const struct bd_key *key)
{
	unsigned int lo = 0, hi = ITEMS;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;
		struct bd_key at = nth(mid);

		if (bd_key_cmp(&at, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void check_search(struct grove *g, struct bd_key key)
{
	unsigned int first = model_first(&key);
	struct bd_key at = nth(first < ITEMS ? first : 0), found;
	bool exact = first < ITEMS && !bd_key_cmp(&at, &key);
	struct bd_path path;

	bd_path_init(&path);
	CU_ASSERT_EQUAL(bd_tree_search(&g->tree, &key, &path), exact ? 0 : 1);
	CU_ASSERT_EQUAL(bd_tree_first(&g->tree, &key, &path, &found), first == ITEMS);
	if (first < ITEMS)
		CU_ASSERT_EQUAL(payload(&path), first);
	CU_ASSERT_EQUAL(bd_tree_last(&g->tree, &key, &path, &found), 0);
	if (exact)
		CU_ASSERT_EQUAL(payload(&path), first);
	if (!exact && first > 0)
		CU_ASSERT_EQUAL(payload(&path), first - 1);
	bd_path_release(&path);
}

static void finds_every_place(void)
{
	struct bd_key key, found;
	struct bd_path path;
	struct grove g;

	grove_init(&g);
	for (unsigned int n = 0; n < ITEMS; n += n % 97 ? 1 : 13) {
		key = nth(n);
		check_search(&g, key);
		key.offset++;
		check_search(&g, key);
		key.type = UNKNOWN + 1;
		check_search(&g, key);
		key.objectid++;
		check_search(&g, key);
	}
	bd_path_init(&path);
	CU_ASSERT_EQUAL(bd_tree_last(&g.tree, &BD_KEY_MIN, &path, &found), 1);
	CU_ASSERT_EQUAL(bd_tree_first(&g.tree, &BD_KEY_MAX, &path, &found), 1);
	CU_ASSERT_EQUAL(bd_tree_last(&g.tree, &BD_KEY_MAX, &path, &found), 0);
	CU_ASSERT_EQUAL(payload(&path), ITEMS - 1);
	bd_path_release(&path);
	grove_fini(&g);
}

/* The block on @level of the way to item @n. */
static uint64_t block_of(struct grove *g, unsigned int n, unsigned int level)
{
	struct bd_key key = nth(n);
	struct bd_path path;
	uint64_t logical;

	bd_path_init(&path);
	CU_ASSERT_EQUAL_FATAL(bd_tree_search(&g->tree, &key, &path), 0);
	logical = path.nodes[level]->logical;
	bd_path_release(&path);
	return logical;
}

/* Open again: nothing is cached any more. */
static void reopen(struct grove *g)
{
	bdio_close(g->fs);
	CU_ASSERT_EQUAL_FATAL(img_open(g->img, 0, &g->fs), 0);
	CU_ASSERT_EQUAL_FATAL(bd_subvol_tree(g->fs, BDIO_SUBVOL_TOP, &g->tree), 0);
}

static int find(struct grove *g, unsigned int n)
{
	struct bd_key key = nth(n);
	struct bd_path path;
	int ret;

	bd_path_init(&path);
	ret = bd_tree_search(&g->tree, &key, &path);
	if (ret == 0 && payload(&path) != n)
		ret = 2;
	bd_path_release(&path);
	return ret;
}

static uint64_t metadata_errors(struct grove *g)
{
	struct bdio_counters c;

	bdio_fs_get_counters(g->fs, &c);
	return c.metadata_errors;
}

typedef void change_fn(struct bd_disk_header *h);

static void change_owner(struct bd_disk_header *h)
{
	h->owner = bd_to_le64(BD_OBJ_EXTENT_TREE);
}

static void change_level(struct bd_disk_header *h)
{
	h->level ^= 1;
}

static void change_generation(struct bd_disk_header *h)
{
	h->generation = bd_to_le64(IMG_GENERATION - 1);
}

static void change_bytenr(struct bd_disk_header *h)
{
	h->bytenr = bd_to_le64(bd_le64(h->bytenr) + 4096);
}

static void change_fsid(struct bd_disk_header *h)
{
	h->fsid[3] ^= 1;
}

static void change_first_key(struct bd_disk_header *h)
{
	struct bd_disk_key *key = (struct bd_disk_key *)(h + 1);

	key->offset = bd_to_le64(bd_le64(key->offset) - 1);
}

static void change_nritems(struct bd_disk_header *h)
{
	h->nritems = bd_to_le32(0);
}

static void change_order(struct bd_disk_header *h)
{
	struct bd_disk_key *key = (struct bd_disk_key *)(h + 1);

	key = (struct bd_disk_key *)((uint8_t *)key + (h->level ? sizeof(struct bd_disk_key_ptr)
								: sizeof(struct bd_disk_item)));
	key->objectid = bd_to_le64(3);
}

static const struct damage {
	change_fn *change;
	const char *site;
} damages[] = {
	{change_owner, "NODE_OWNER"},
	{change_level, "NODE_LEVEL"},
	{change_generation, "NODE_GENERATION"},
	{change_bytenr, "NODE_BYTENR"},
	{change_fsid, "NODE_FSID"},
	{change_first_key, "NODE_FIRST_KEY"},
	{change_nritems, "NODE_EMPTY_CHILD"},
	{change_order, "NODE_KEY_ORDER"},
};

/* The checksum is right, the block is not: then the other copy is tried. */
static void valid_but_wrong(void)
{
	struct grove g;

	grove_init(&g);
	for (size_t i = 0; i < 2 * sizeof(damages) / sizeof(damages[0]); i++) {
		const struct damage *d = &damages[i / 2];
		uint64_t logical = block_of(&g, 7777, i % 2);
		uint8_t before[4096];

		memcpy(before, img_at(g.img, logical, 0), 4096);
		d->change((void *)img_at(g.img, logical, 0));
		img_seal(g.img, logical, 0);
		reopen(&g);
		CU_ASSERT_EQUAL(find(&g, 7777), 0);
		CU_ASSERT_EQUAL(metadata_errors(&g), 1);

		memcpy(img_at(g.img, logical, 1), img_at(g.img, logical, 0), 4096);
		reopen(&g);
		CU_ASSERT_EQUAL(find(&g, 7777), -EUCLEAN);
		CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, d->site);
		CU_ASSERT_EQUAL(bdio_error_get()->logical, logical);
		CU_ASSERT_EQUAL(bdio_error_get()->devid, 1);
		CU_ASSERT_EQUAL(metadata_errors(&g), 2);

		memcpy(img_at(g.img, logical, 0), before, 4096);
		memcpy(img_at(g.img, logical, 1), before, 4096);
		reopen(&g);
	}
	grove_fini(&g);
}

static void bad_checksum(void)
{
	struct grove g;
	uint64_t logical;

	grove_init(&g);
	logical = block_of(&g, 123, 0);
	img_damage(g.img, logical + 2000, 0);
	reopen(&g);
	CU_ASSERT_EQUAL(find(&g, 123), 0);
	CU_ASSERT_EQUAL(metadata_errors(&g), 1);
	CU_ASSERT_EQUAL(find(&g, 123), 0); /* cached: not looked at again */
	CU_ASSERT_EQUAL(metadata_errors(&g), 1);
	img_damage(g.img, logical + 2001, 1);
	reopen(&g);
	CU_ASSERT_EQUAL(find(&g, 123), -EIO);
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, "NODE_CSUM");
	CU_ASSERT(bdio_error_get()->has & BDIO_ERROR_CSUM);
	grove_fini(&g);
}

/* Change a block in both copies, keep it valid. */
static void *open_block(struct grove *g, uint64_t logical)
{
	return img_at(g->img, logical, 0);
}

static void close_block(struct grove *g, uint64_t logical)
{
	img_seal(g->img, logical, 0);
	memcpy(img_at(g->img, logical, 1), img_at(g->img, logical, 0), 4096);
}

static struct bd_disk_key_ptr *pointer(void *block, unsigned int slot)
{
	return (struct bd_disk_key_ptr *)((struct bd_disk_header *)block + 1) + slot;
}

static void bad_pointers(void)
{
	static const struct {
		uint64_t to; /* 0: the parent itself, 1: the data chunk */
		const char *site;
	} bad[] = {{0, "NODE_LEVEL"},
		   {1, "NODE_IN_DATA"},
		   {1ULL << 40, "NODE_NO_CHUNK"},
		   {UINT64_MAX - 4095, "NODE_NO_CHUNK"}};

	for (size_t i = 0; i < 4; i++) {
		struct grove g;
		uint64_t logical, to = bad[i].to;

		grove_init(&g);
		logical = block_of(&g, 0, 1);
		to = to == 0 ? logical : to == 1 ? g.img->data.logical : to;
		pointer(open_block(&g, logical), 0)->blockptr = bd_to_le64(to);
		close_block(&g, logical);
		reopen(&g);
		CU_ASSERT_EQUAL(find(&g, 0), -EUCLEAN);
		CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, bad[i].site);
		grove_fini(&g);
	}
}

/* Each leaf is sound, but the keys of one reach into those of the next. */
static void overlapping_leaves(void)
{
	struct bd_path path;
	struct bd_key key, found;
	struct grove g;
	struct bd_disk_header *h;
	struct bd_disk_item *last;
	uint64_t logical;
	int ret;

	grove_init(&g);
	logical = block_of(&g, 5000, 0);
	h = open_block(&g, logical);
	last = (struct bd_disk_item *)(h + 1) + bd_le32(h->nritems) - 1;
	last->key.objectid = bd_to_le64(bd_le64(last->key.objectid) + 8);
	close_block(&g, logical);
	reopen(&g);
	bd_path_init(&path);
	for (ret = bd_tree_first(&g.tree, &BD_KEY_MIN, &path, &found); ret == 0;)
		ret = bd_path_next(&g.tree, &path);
	CU_ASSERT_EQUAL(ret, -EUCLEAN);
	key = nth(5000);
	CU_ASSERT_EQUAL(bd_tree_last(&g.tree, &key, &path, &found), -EUCLEAN);
	bd_path_release(&path);
	grove_fini(&g);
}

/*
 * Every block of a level points to all blocks of the next one that begin at or behind it: few
 * blocks, all of them sound, but very many ways from the root to a leaf.
 */
#define LATTICE_TOP   6u
#define LATTICE_WIDTH 16u

static uint64_t lattice_block(const struct img *img, unsigned int level, unsigned int k)
{
	return img->meta.logical + img->meta.length / 2 +
	       (level * LATTICE_WIDTH + k) * (uint64_t)img->opts.nodesize;
}

static void *begin_lattice_block(struct grove *g, unsigned int level, unsigned int k)
{
	uint64_t logical = lattice_block(g->img, level, k);
	struct bd_disk_header *h = (void *)img_at(g->img, logical, 0);

	memcpy(h, img_at(g->img, g->tree.bytenr, 0), sizeof(*h));
	h->bytenr = bd_to_le64(logical);
	h->level = (uint8_t)level;
	return h;
}

static void make_lattice(struct grove *g)
{
	struct bd_disk_inode_item inode = {.transid = bd_to_le64(IMG_GENERATION),
					   .mode = bd_to_le32(0100644)};

	for (unsigned int level = 0; level <= LATTICE_TOP; level++) {
		for (unsigned int k = 0; k < LATTICE_WIDTH; k++) {
			struct bd_disk_header *h = begin_lattice_block(g, level, k);
			struct bd_disk_item *item = (void *)(h + 1);
			uint32_t n = level ? LATTICE_WIDTH - k : 1;
			struct bd_key key;

			h->nritems = bd_to_le32(n);
			for (unsigned int i = 0; level && i < n; i++) {
				struct bd_disk_key_ptr *ptr = pointer(h, i);

				key = bd_key(FIRST + k + i, BD_KEY_INODE_ITEM, 0);
				ptr->key = bd_key_encode(&key);
				ptr->blockptr = bd_to_le64(lattice_block(g->img, level - 1, k + i));
				ptr->generation = bd_to_le64(IMG_GENERATION);
			}
			if (!level) {
				uint32_t at = g->img->opts.nodesize -
					      (uint32_t)(sizeof(*h) + sizeof(inode));

				key = bd_key(FIRST + k, BD_KEY_INODE_ITEM, 0);
				item->key = bd_key_encode(&key);
				item->offset = bd_to_le32(at);
				item->size = bd_to_le32(sizeof(inode));
				memcpy((uint8_t *)item + at, &inode, sizeof(inode));
			}
			close_block(g, bd_le64(h->bytenr));
		}
	}
}

/* Make it the tree of the top level. */
static void use_lattice(struct grove *g)
{
	uint64_t root = g->img->super.root.bytenr;
	struct bd_disk_header *h = open_block(g, root);
	struct bd_disk_item *items = (struct bd_disk_item *)(h + 1);

	CU_ASSERT_EQUAL_FATAL(h->level, 0);
	for (unsigned int i = 0; i < bd_le32(h->nritems); i++) {
		struct bd_disk_root_item *item =
			(void *)((uint8_t *)items + bd_le32(items[i].offset));

		if (bd_le64(items[i].key.objectid) != BDIO_SUBVOL_TOP)
			continue;
		item->bytenr = bd_to_le64(lattice_block(g->img, LATTICE_TOP, 0));
		item->level = LATTICE_TOP;
	}
	close_block(g, root);
	reopen(g);
}

static int count_lines(void *priv, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		*(unsigned int *)priv += text[i] == '\n';
	return 0;
}

static void many_ways_to_a_leaf(void)
{
	struct bdio_changed_iter *iter;
	struct bdio_changed change;
	unsigned int seen = 0, lines = 0;
	struct grove g;
	int ret;

	grove_init(&g);
	make_lattice(&g);
	use_lattice(&g);
	CU_ASSERT_EQUAL_FATAL(bdio_changed_open(g.fs, BDIO_SUBVOL_TOP, 0, &iter), 0);
	while ((ret = bdio_changed_next(iter, &change)) == 1)
		seen++;
	CU_ASSERT(ret == 0 || ret == -EUCLEAN);
	CU_ASSERT(seen <= LATTICE_WIDTH);
	bdio_changed_close(iter);
	CU_ASSERT(bdio_dump_tree(g.fs, BDIO_SUBVOL_TOP, count_lines, &lines) >= 0);
	/* some lines for each pointer, item and block that there is */
	CU_ASSERT(lines < LATTICE_TOP * LATTICE_WIDTH * LATTICE_WIDTH * 20);
	grove_fini(&g);
}

static const struct unit_test tests[] = {
	UNIT_TEST(iterates_both_ways),	UNIT_TEST(finds_every_place), UNIT_TEST(valid_but_wrong),
	UNIT_TEST(bad_checksum),	UNIT_TEST(bad_pointers),      UNIT_TEST(overlapping_leaves),
	UNIT_TEST(many_ways_to_a_leaf),
};
UNIT_MAIN("tree", tests)
