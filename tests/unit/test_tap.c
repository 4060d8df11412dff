/* SPDX-License-Identifier: MIT */
/* tests/unit/test_tap.c - taps: seeing, failing, changing and holding I/Os, on every kind of ring
 */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include "scratch.h"

#define BLOCK 4096u
#define NUM   16

enum verdict { PASS = 1, REFUSE = 0, HOLD = BD_TAP_HOLD };

/* A tap that does what it is told and counts. */
struct script {
	struct bd_tap tap;
	enum verdict verdict;
	int res_before; /* with REFUSE */
	int res_after;	/* 0: leave */
	int flip_byte;	/* -1: leave */
	atomic_int before, after, closes;
};

static int script_before(struct bd_tap *tap, struct bd_io *io, int *res)
{
	struct script *s = tap->priv;
	(void)io;
	s->before++;
	*res = s->res_before;
	return (int)s->verdict;
}

static void script_after(struct bd_tap *tap, struct bd_io *io)
{
	struct script *s = tap->priv;
	s->after++;
	if (s->res_after)
		io->res = s->res_after;
	if (s->flip_byte >= 0)
		((uint8_t *)io->buf)[s->flip_byte] ^= 0xff;
}

static void script_close(struct bd_tap *tap)
{
	((struct script *)tap->priv)->closes++;
}

static void script_init(struct script *s)
{
	*s = (struct script){.tap = {.before = script_before,
				     .after = script_after,
				     .close = script_close,
				     .priv = s},
			     .verdict = PASS,
			     .flip_byte = -1};
}

static uint8_t ram[NUM * BLOCK];

/* Each test runs over memory and over a file, on each kind of ring. */
struct setting {
	const char *path;
	struct bd_ring_opts ring;
};

static struct bd_dev *open_tapped(const struct setting *setting, struct script *s)
{
	struct bd_dev *lower, *dev;
	struct bd_dev_open args = {.writable = true};

	if (setting->path) {
		CU_ASSERT_EQUAL_FATAL(bd_dev_open_path(setting->path, &args, &lower), 0);
	} else {
		pattern_fill(ram, sizeof(ram), 0);
		CU_ASSERT_EQUAL_FATAL(bd_dev_wrap_mem("ram", ram, sizeof(ram), true, &lower), 0);
	}
	script_init(s);
	CU_ASSERT_EQUAL_FATAL(bd_dev_open_tap(lower, &s->tap, &dev), 0);
	CU_ASSERT_EQUAL(dev->size, NUM * BLOCK);
	return dev;
}

static void in_each_setting(void (*test)(const struct setting *))
{
	static const struct bd_ring_opts rings[] = {
		{.kind = BD_RING_BLOCKING, .depth = 8},
		{.kind = BD_RING_URING, .depth = 8},
		{.kind = BD_RING_URING, .depth = 8, .flags = BD_RING_SINGLE_ISSUER},
		{.kind = BD_RING_URING, .depth = 8, .flags = BD_RING_IOPOLL},
	};
	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
		const char *path = scratch_file(NUM * BLOCK);
		test(&(struct setting){.path = path, .ring = rings[i]});
		unlink(path);
		test(&(struct setting){.path = NULL, .ring = rings[i]});
	}
}

struct batch {
	struct counted_io ios[NUM];
	uint8_t *bufs;
};

static void submit_all(struct batch *b, struct bd_ring *ring, struct bd_dev *dev)
{
	b->bufs = scratch_buf(NUM * BLOCK);
	for (uint32_t i = 0; i < NUM; i++) {
		counted_prep(&b->ios[i], dev, BD_IO_READ, b->bufs + i * BLOCK, BLOCK, i * BLOCK);
		bd_dev_submit(ring, &b->ios[i].io);
	}
}

/* Drive until nothing is in flight; the sum of what drive returned. */
static int drive_all(struct bd_ring *ring)
{
	int sum = 0;
	while (bd_ring_in_flight(ring)) {
		int n = bd_ring_drive(ring, true, 0);
		CU_ASSERT_FATAL(n > 0);
		sum += n;
	}
	return sum;
}

static void check_all(const struct batch *b, int res)
{
	for (uint32_t i = 0; i < NUM; i++) {
		CU_ASSERT_EQUAL(b->ios[i].calls, 1);
		CU_ASSERT_EQUAL(b->ios[i].io.res, res);
		if (!res)
			CU_ASSERT_EQUAL(pattern_differs(b->bufs + i * BLOCK, BLOCK, i * BLOCK), 0);
	}
}

static struct bd_ring *new_ring(const struct setting *setting)
{
	struct bd_ring *ring;
	CU_ASSERT_EQUAL_FATAL(bd_ring_new(&setting->ring, &ring), 0);
	return ring;
}

static void passes(const struct setting *setting)
{
	struct script s;
	struct batch b;
	struct bd_ring *ring = new_ring(setting);
	struct bd_dev *dev = open_tapped(setting, &s);

	submit_all(&b, ring, dev);
	CU_ASSERT_EQUAL(bd_ring_in_flight(ring), NUM);
	CU_ASSERT_EQUAL(drive_all(ring), NUM);
	check_all(&b, 0);
	CU_ASSERT(s.before == NUM && s.after == NUM);
	CU_ASSERT_EQUAL(dev->reads, NUM);
	bd_ring_free(ring);
	CU_ASSERT_EQUAL(s.closes, 0);
	bd_dev_close(dev);
	CU_ASSERT_EQUAL(s.closes, 1);
	free(b.bufs);
}

static void a_passing_tap_changes_nothing(void)
{
	in_each_setting(passes);
}

static void fails(const struct setting *setting)
{
	struct script s;
	struct batch b;
	struct bd_ring *ring = new_ring(setting);
	struct bd_dev *dev = open_tapped(setting, &s);

	s.verdict = REFUSE;
	s.res_before = -EIO;
	submit_all(&b, ring, dev);
	CU_ASSERT_EQUAL(drive_all(ring), NUM);
	check_all(&b, -EIO);
	CU_ASSERT(s.before == NUM && s.after == 0);
	free(b.bufs);

	s.verdict = PASS;
	s.res_after = -ENODATA;
	submit_all(&b, ring, dev);
	CU_ASSERT_EQUAL(drive_all(ring), NUM);
	check_all(&b, -ENODATA);
	CU_ASSERT(s.before == 2 * NUM && s.after == NUM);
	free(b.bufs);
	CU_ASSERT_EQUAL(dev->in_flight, 0);
	bd_ring_free(ring);
	bd_dev_close(dev);
}

static void a_tap_can_fail_before_and_after(void)
{
	in_each_setting(fails);
}

static void changes(const struct setting *setting)
{
	struct script s;
	struct bd_dev *dev = open_tapped(setting, &s);
	uint8_t *buf = scratch_buf(BLOCK);

	s.flip_byte = 100;
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, BLOCK, BLOCK), 0);
	CU_ASSERT_EQUAL(buf[100], pattern_byte(BLOCK + 100) ^ 0xff);
	buf[100] ^= 0xff;
	CU_ASSERT_EQUAL(pattern_differs(buf, BLOCK, BLOCK), 0);
	free(buf);
	bd_dev_close(dev);
}

static void a_tap_can_change_data(void)
{
	in_each_setting(changes);
}

struct releaser {
	pthread_t thread;
	struct bd_dev *dev;
	unsigned int num;
};

static void *release_later(void *arg)
{
	struct releaser *r = arg;
	struct timespec ms = {.tv_nsec = 1000000};

	while (bd_dev_tap_held(r->dev) < r->num)
		nanosleep(&ms, NULL);
	for (int i = 0; i < 20; i++)
		nanosleep(&ms, NULL); /* let the other thread fall asleep */
	bd_dev_tap_release(r->dev);
	return NULL;
}

static void release_from_a_thread(struct releaser *r, struct bd_dev *dev, unsigned int num)
{
	*r = (struct releaser){.dev = dev, .num = num};
	CU_ASSERT_EQUAL_FATAL(pthread_create(&r->thread, NULL, release_later, r), 0);
}

static void holds(const struct setting *setting)
{
	struct script s;
	struct batch b;
	struct releaser r;
	struct bd_ring *ring = new_ring(setting);
	struct bd_dev *dev = open_tapped(setting, &s);

	s.verdict = HOLD;
	submit_all(&b, ring, dev);
	CU_ASSERT_EQUAL(bd_dev_tap_held(dev), NUM);
	CU_ASSERT_EQUAL(bd_ring_drive(ring, false, 0), 0);
	/* What is held does not keep other I/Os back, nor the time limit. */
	CU_ASSERT_EQUAL(bd_ring_drive(ring, true, 3000000), 0);
	s.verdict = PASS;
	struct counted_io other;
	uint8_t *buf = scratch_buf(BLOCK);
	counted_prep(&other, dev, BD_IO_READ, buf, BLOCK, 0);
	bd_dev_submit(ring, &other.io);
	CU_ASSERT_EQUAL(bd_ring_drive(ring, true, 0), 1);
	CU_ASSERT_EQUAL(other.calls, 1);
	CU_ASSERT_EQUAL(bd_ring_in_flight(ring), NUM);

	release_from_a_thread(&r, dev, NUM);
	CU_ASSERT_EQUAL(drive_all(ring), NUM);
	pthread_join(r.thread, NULL);
	CU_ASSERT_EQUAL(bd_dev_tap_held(dev), 0);
	check_all(&b, 0);
	CU_ASSERT_EQUAL(s.after, NUM + 1);
	bd_ring_free(ring);
	bd_dev_close(dev);
	free(b.bufs);
	free(buf);
}

static void held_ios_go_on_from_another_thread(void)
{
	in_each_setting(holds);
}

static void frees(const struct setting *setting)
{
	struct script s;
	struct batch b;
	struct releaser r;
	struct bd_ring *ring = new_ring(setting);
	struct bd_dev *dev = open_tapped(setting, &s);

	s.verdict = HOLD;
	submit_all(&b, ring, dev);
	release_from_a_thread(&r, dev, NUM);
	bd_ring_free(ring);
	check_all(&b, 0);
	pthread_join(r.thread, NULL);
	bd_dev_close(dev);
	free(b.bufs);
}

static void freeing_a_ring_waits_for_held_ios(void)
{
	in_each_setting(frees);
}

static void a_blocking_read_can_be_held(void)
{
	struct script s;
	struct releaser r;
	struct bd_dev *dev = open_tapped(&(struct setting){0}, &s);
	uint8_t *buf = scratch_buf(BLOCK);

	s.verdict = HOLD;
	release_from_a_thread(&r, dev, 1);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, BLOCK, BLOCK), 0);
	CU_ASSERT_EQUAL(pattern_differs(buf, BLOCK, BLOCK), 0);
	pthread_join(r.thread, NULL);
	bd_dev_close(dev);
	free(buf);
}

static void stacks(const struct setting *setting)
{
	struct script lower, upper;
	struct batch b;
	struct releaser r;
	struct bd_ring *ring = new_ring(setting);
	struct bd_dev *middle = open_tapped(setting, &lower), *dev;

	script_init(&upper);
	CU_ASSERT_EQUAL_FATAL(bd_dev_open_tap(middle, &upper.tap, &dev), 0);
	lower.verdict = HOLD;
	submit_all(&b, ring, dev);
	release_from_a_thread(&r, middle, NUM);
	CU_ASSERT_EQUAL(drive_all(ring), NUM);
	pthread_join(r.thread, NULL);
	check_all(&b, 0);
	CU_ASSERT(upper.before == NUM && upper.after == NUM);
	CU_ASSERT(lower.before == NUM && lower.after == NUM);
	bd_ring_free(ring);
	bd_dev_close(dev);
	CU_ASSERT(upper.closes == 1 && lower.closes == 1);
	free(b.bufs);
}

static void taps_stack(void)
{
	in_each_setting(stacks);
}

static const struct unit_test tests[] = {
	UNIT_TEST(a_passing_tap_changes_nothing),
	UNIT_TEST(a_tap_can_fail_before_and_after),
	UNIT_TEST(a_tap_can_change_data),
	UNIT_TEST(held_ios_go_on_from_another_thread),
	UNIT_TEST(freeing_a_ring_waits_for_held_ios),
	UNIT_TEST(a_blocking_read_can_be_held),
	UNIT_TEST(taps_stack),
};

UNIT_MAIN("tap", tests)
