/* SPDX-License-Identifier: MIT */
/* tests/unit/test_raid.c - parity arithmetic, places of all profiles, ways to read a range */
#include "unit.h"

#include <errno.h>
#include <isa-l.h>
#include "base/mem.h"
#include "image_priv.h"

#define LEN	 256u
#define MAX_DATA 10u

/* Data stripes, then P and Q as ISA-L makes them. */
struct row {
	unsigned int ndata;
	uint8_t *stripe[MAX_DATA + 2];
};

static void row_init(struct row *row, unsigned int ndata)
{
	void *vectors[MAX_DATA + 2];

	row->ndata = ndata;
	for (unsigned int i = 0; i < ndata + 2; i++) {
		row->stripe[i] = bd_alloc_aligned(64, LEN);
		vectors[i] = row->stripe[i];
		img_bytes(row->stripe[i], LEN, ndata * 100 + (i < ndata ? i : 99));
	}
	if (ndata == 1) {
		/* fewer vectors than ISA-L takes: the sums have one term, with factor 1 */
		memcpy(row->stripe[1], row->stripe[0], LEN);
		memcpy(row->stripe[2], row->stripe[0], LEN);
		return;
	}
	CU_ASSERT_EQUAL_FATAL(xor_gen((int)ndata + 1, LEN, vectors), 0);
	CU_ASSERT_EQUAL_FATAL(pq_gen((int)ndata + 2, LEN, vectors), 0);
}

static void row_fini(struct row *row)
{
	for (unsigned int i = 0; i < row->ndata + 2; i++)
		free(row->stripe[i]);
}

/* 0: rebuilt and right; 1: wrong; -1: said to be impossible */
static int rebuild(const struct row *row, unsigned int lost, int also, bool use_p, bool use_q)
{
	uint8_t coef[MAX_DATA + 2], used[MAX_DATA + 2], out[LEN];
	const uint8_t *src[MAX_DATA + 2];
	unsigned int n = 0;

	if (!bd_raid_solve(row->ndata, lost, also, use_p, use_q, coef))
		return -1;
	if (coef[lost] || (also >= 0 && coef[also]) || (!use_p && coef[row->ndata]) ||
	    (!use_q && coef[row->ndata + 1]))
		return 1;
	for (unsigned int i = 0; i < row->ndata + 2; i++) {
		if (coef[i]) {
			used[n] = coef[i];
			src[n++] = row->stripe[i];
		}
	}
	if (bd_raid_combine(n, used, src, LEN, out))
		return 1;
	return memcmp(out, row->stripe[lost], LEN) != 0;
}

static void every_pair_of_lost_stripes(void)
{
	for (unsigned int ndata = 1; ndata <= MAX_DATA; ndata++) {
		struct row row;

		row_init(&row, ndata);
		for (unsigned int lost = 0; lost < ndata; lost++) {
			CU_ASSERT_EQUAL(rebuild(&row, lost, -1, true, true), 0);
			CU_ASSERT_EQUAL(rebuild(&row, lost, -1, true, false), 0);
			CU_ASSERT_EQUAL(rebuild(&row, lost, -1, false, true), 0);
			CU_ASSERT_EQUAL(rebuild(&row, lost, -1, false, false), -1);
			for (unsigned int also = 0; also < ndata; also++) {
				if (also == lost)
					continue;
				CU_ASSERT_EQUAL(rebuild(&row, lost, (int)also, true, true), 0);
				CU_ASSERT_EQUAL(rebuild(&row, lost, (int)also, true, false), -1);
				CU_ASSERT_EQUAL(rebuild(&row, lost, (int)also, false, true), -1);
			}
		}
		row_fini(&row);
	}
}

/* The last of 255 data stripes still has a factor of its own; one more would repeat the first. */
static void widest_rows(void)
{
	uint8_t coef[BD_RAID6_MAX_DATA + 3];

	CU_ASSERT(bd_raid_solve(BD_RAID6_MAX_DATA, 254, 0, true, true, coef));
	CU_ASSERT(coef[254] == 0 && coef[0] == 0 && coef[255] && coef[256]);
	CU_ASSERT(!bd_raid_solve(BD_RAID6_MAX_DATA + 1, 255, 0, true, true, coef));
	CU_ASSERT(!bd_raid_solve(BD_RAID6_MAX_DATA + 1, 255, -1, false, true, coef));
}

static void table(void)
{
	static const struct {
		uint64_t flag;
		unsigned int copies, parity, tolerated;
	} want[] = {
		{0, 1, 0, 0},
		{BD_BG_DUP, 2, 0, 0},
		{BD_BG_RAID0, 1, 0, 0},
		{BD_BG_RAID1, 2, 0, 1},
		{BD_BG_RAID1C3, 3, 0, 2},
		{BD_BG_RAID1C4, 4, 0, 3},
		{BD_BG_RAID10, 2, 0, 1},
		{BD_BG_RAID5, 1, 1, 1},
		{BD_BG_RAID6, 1, 2, 2},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct bd_raid_attr *attr = bd_raid_attr(want[i].flag | BD_BG_DATA);

		CU_ASSERT_EQUAL(attr->flag, want[i].flag);
		CU_ASSERT_EQUAL(attr->copies, want[i].copies);
		CU_ASSERT_EQUAL(attr->parity, want[i].parity);
		CU_ASSERT_EQUAL(attr->tolerated, want[i].tolerated);
	}
}

static const struct setting {
	uint64_t flag;
	unsigned int devs;
} settings[] = {
	{0, 1},
	{BD_BG_DUP, 1},
	{BD_BG_RAID0, 1},
	{BD_BG_RAID0, 2},
	{BD_BG_RAID0, 5},
	{BD_BG_RAID1, 2},
	{BD_BG_RAID1C3, 3},
	{BD_BG_RAID1C4, 4},
	{BD_BG_RAID10, 2},
	{BD_BG_RAID10, 4},
	{BD_BG_RAID10, 6},
	{BD_BG_RAID5, 2},
	{BD_BG_RAID5, 3},
	{BD_BG_RAID5, 6},
	{BD_BG_RAID6, 3},
	{BD_BG_RAID6, 4},
	{BD_BG_RAID6, 6},
};
#define NUM_SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* An open image with @setting's profile for data, which is full of random bytes. */
struct volume {
	struct img *img;
	struct bdio_fs *fs;
	const struct bd_chunk *chunk;
	uint8_t *bytes;
	size_t size;
};

static void volume_init(struct volume *v, const struct setting *setting)
{
	v->img = img_new(&(struct img_opts){
		.data = setting->flag, .num_devs = setting->devs, .data_bytes = 1u << 20});
	v->size = v->img->data.length;
	v->bytes = malloc(v->size);
	img_bytes(v->bytes, v->size, setting->devs);
	img_data(v->img, v->bytes, v->size);
	img_finish(v->img);
	CU_ASSERT_EQUAL_FATAL(img_open(v->img, BDIO_OPEN_BLOCKING, &v->fs), 0);
	v->chunk = bd_chunk_find(&v->fs->vol.ls.map, v->img->data.logical);
	CU_ASSERT_PTR_NOT_NULL_FATAL(v->chunk);
}

static void volume_fini(struct volume *v)
{
	bdio_close(v->fs);
	img_free(v->img);
	free(v->bytes);
}

static bool piece_is_right(struct volume *v, uint64_t offset, uint64_t len, unsigned int copy)
{
	const struct img_chunk *model = &v->img->data;
	struct bd_piece piece;
	uint64_t in_stripe, want = len;
	unsigned int i = img_stripe_of(model, offset, copy, &in_stripe);

	bd_chunk_piece(v->chunk, v->chunk->logical + offset, len, copy, &piece);
	if (model->num_stripes > model->copies && want > BD_STRIPE_LEN - offset % BD_STRIPE_LEN)
		want = BD_STRIPE_LEN - offset % BD_STRIPE_LEN;
	/* A striped profile on its fewest devices is still cut at its stripes. */
	if (v->chunk->raid->striped && want > BD_STRIPE_LEN - offset % BD_STRIPE_LEN)
		want = BD_STRIPE_LEN - offset % BD_STRIPE_LEN;
	if (want > model->length - offset)
		want = model->length - offset;
	return piece.stripe == &v->chunk->stripes[i] && piece.length == want &&
	       piece.physical == model->stripe[i].physical + in_stripe &&
	       piece.stripe->member->devid == model->stripe[i].dev + 1;
}

static void places_of_all_profiles(void)
{
	for (size_t s = 0; s < NUM_SETTINGS; s++) {
		struct volume v;
		unsigned int bad = 0;

		volume_init(&v, &settings[s]);
		for (uint64_t offset = 0; offset < v.size; offset += 4096) {
			for (unsigned int copy = 0; copy < v.chunk->raid->copies; copy++) {
				bad += !piece_is_right(&v, offset, 1, copy);
				bad += !piece_is_right(&v, offset, 20000, copy);
				bad += !piece_is_right(&v, offset, v.size, copy);
			}
		}
		CU_ASSERT_EQUAL(bad, 0);
		volume_fini(&v);
	}
}

static int read_way(struct volume *v, uint64_t offset, uint32_t len, unsigned int way)
{
	uint8_t *buf = bd_alloc_aligned(4096, len);
	int err;

	memset(buf, 0xee, len);
	err = bd_way_read_sync(&v->fs->vol.ls, v->chunk, v->chunk->logical + offset, len, way, buf);
	if (!err)
		err = memcmp(buf, v->bytes + offset, len) != 0;
	free(buf);
	return err;
}

static void number_of_ways(void)
{
	for (size_t s = 0; s < NUM_SETTINGS; s++) {
		struct volume v;
		unsigned int want;

		volume_init(&v, &settings[s]);
		want = v.img->data.copies;
		if (v.img->data.parity)
			want = v.img->data.parity == 1 ? 2 : 2 + v.img->data.data_stripes;
		CU_ASSERT_EQUAL(bd_ways(v.chunk), want);
		volume_fini(&v);
	}
}

static void every_way_reads_the_same(void)
{
	static const struct {
		uint64_t offset;
		uint32_t len;
	} ranges[] = {{0, 4096}, {65536 - 4096, 8192}, {123 * 4096, 65536}, {8192, 400 * 1024}};

	for (size_t s = 0; s < NUM_SETTINGS; s++) {
		struct volume v;

		volume_init(&v, &settings[s]);
		for (unsigned int way = 0; way < bd_ways(v.chunk); way++) {
			for (unsigned int r = 0; r < 4; r++)
				CU_ASSERT_EQUAL(read_way(&v, ranges[r].offset, ranges[r].len, way),
						0);
		}
		volume_fini(&v);
	}
}

/* Ways that rebuild what lies on a device never use that device, or the one they take for bad. */
static void rebuilds_avoid_what_is_bad(void)
{
	struct volume v;

	volume_init(&v, &(struct setting){BD_BG_RAID6, 5});
	for (uint64_t row = 0; row < 5; row++) {
		uint64_t start = row * 3 * BD_STRIPE_LEN;

		img_damage(v.img, v.chunk->logical + start, 0);
		CU_ASSERT_EQUAL(read_way(&v, start, 4096, 0), 1);
		for (unsigned int way = 1; way < 5; way++)
			CU_ASSERT_EQUAL(read_way(&v, start, 4096, way), 0);
		/* the second data stripe of the row as well: only the way that expects it is good
		 */
		img_damage(v.img, v.chunk->logical + start + BD_STRIPE_LEN, 0);
		CU_ASSERT_EQUAL(read_way(&v, start, 4096, 1), 1);
		CU_ASSERT_EQUAL(read_way(&v, start, 4096, 2), 1);
		CU_ASSERT_EQUAL(read_way(&v, start, 4096, 3), 0);
		CU_ASSERT_EQUAL(read_way(&v, start, 4096, 4), 1);
	}
	volume_fini(&v);
}

/* With devices gone some way is left, up to what the profile tolerates. */
static void missing_devices(void)
{
	for (size_t s = 0; s < NUM_SETTINGS; s++) {
		unsigned int n = settings[s].devs;
		struct volume v;

		volume_init(&v, &settings[s]);
		for (unsigned int set = 1; set < 1u << n; set++) {
			struct bd_dev *gone[IMG_MAX_DEVS];
			bool survives =
				(unsigned int)__builtin_popcount(set) <= v.chunk->raid->tolerated;
			unsigned int good = 0;

			for (unsigned int i = 0; i < n; i++) {
				gone[i] = v.fs->vol.ls.members[i]->dev;
				if (set >> i & 1)
					v.fs->vol.ls.members[i]->dev = NULL;
			}
			for (uint64_t at = 0; at < v.size; at += BD_STRIPE_LEN) {
				bool got = false;

				for (unsigned int w = 0; w < bd_ways(v.chunk); w++) {
					int ret = read_way(&v, at, 4096, w);

					CU_ASSERT(ret == 0 || ret == -ENXIO);
					got |= ret == 0;
				}
				good += got;
			}
			if (survives)
				CU_ASSERT_EQUAL(good, v.size / BD_STRIPE_LEN);
			for (unsigned int i = 0; i < n; i++)
				v.fs->vol.ls.members[i]->dev = gone[i];
		}
		volume_fini(&v);
	}
}

/* Devices that take little at once: every stripe falls into several I/Os. */
static void small_device_ios(void)
{
	for (size_t s = 0; s < NUM_SETTINGS; s++) {
		struct volume v;

		volume_init(&v, &settings[s]);
		for (unsigned int i = 0; i < settings[s].devs; i++)
			v.fs->vol.ls.members[i]->dev->max_io = 4096;
		for (unsigned int way = 0; way < bd_ways(v.chunk); way++)
			CU_ASSERT_EQUAL(read_way(&v, 4096, 200 * 1024, way), 0);
		volume_fini(&v);
	}
}

static const struct unit_test tests[] = {
	UNIT_TEST(every_pair_of_lost_stripes),
	UNIT_TEST(widest_rows),
	UNIT_TEST(table),
	UNIT_TEST(places_of_all_profiles),
	UNIT_TEST(number_of_ways),
	UNIT_TEST(every_way_reads_the_same),
	UNIT_TEST(rebuilds_avoid_what_is_bad),
	UNIT_TEST(missing_devices),
	UNIT_TEST(small_device_ios),
};
UNIT_MAIN("raid", tests)
