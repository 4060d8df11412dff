/* SPDX-License-Identifier: MIT */
/* tests/unit/test_queue.c - the contract of queues: each accepted request completes exactly once */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include "base/mem.h"
#include "btrfsdio/btrfsdio.h"
#include "sample.h"

#define DEPTH 32u
#define SLOT  (300u * 1024)

static uint64_t state = 7;

static uint64_t rnd(uint64_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* A sample, all its files open, and a queue. */
struct rig {
	struct sample *s;
	struct bdio_fs *fs;
	struct bdio_file *file[SAMPLE_FILES];
	struct bdio_queue *q;
};

static void rig_init(struct rig *r, const struct img_opts *img, uint64_t flags, uint32_t depth)
{
	struct bdio_queue_opts opts = {.size = sizeof(opts), .flags = flags, .depth = depth};

	r->s = sample_new(img);
	CU_ASSERT_EQUAL_FATAL(img_open(r->s->img, 0, &r->fs), 0);
	for (unsigned int i = 0; i < SAMPLE_FILES; i++)
		r->file[i] = img_open_file(r->fs, r->s->file[i].ino);
	CU_ASSERT_EQUAL_FATAL(bdio_queue_create(r->fs, &opts, &r->q), 0);
}

static void rig_fini(struct rig *r)
{
	bdio_queue_destroy(r->q);
	for (unsigned int i = 0; i < SAMPLE_FILES; i++)
		bdio_file_close(r->file[i]);
	bdio_close(r->fs);
	sample_free(r->s);
}

/* What a request in flight must come back with. */
struct ticket {
	bool busy, accepted;
	unsigned int file;
	uint64_t offset;
	size_t len;
	unsigned int iovcnt;
	struct iovec iov[4];
	uint8_t *mem;
};

static void fill_ticket(struct rig *r, struct ticket *t)
{
	size_t left = 1 + rnd(rnd(4) ? 9000 : SLOT - 8192), skew = rnd(2) ? 0 : rnd(4000);
	uint8_t *p = t->mem + skew;

	t->file = (unsigned int)rnd(SAMPLE_FILES);
	t->offset = rnd(r->s->file[t->file].size + 100);
	if (rnd(2))
		t->offset &= ~4095ULL;
	t->len = left;
	t->iovcnt = 1 + (unsigned int)rnd(4);
	for (unsigned int i = 0; i < t->iovcnt; i++) {
		size_t n = i == t->iovcnt - 1 ? left : rnd(left + 1);

		t->iov[i] = (struct iovec){p, n};
		p += n;
		left -= n;
	}
	memset(t->mem, 0xee, SLOT);
}

static int prepare(struct rig *r, struct ticket *t, uint64_t cookie)
{
	if (t->iovcnt == 1)
		return bdio_queue_read(r->q, r->file[t->file], t->iov[0].iov_base, t->len,
				       t->offset, 0, cookie);
	return bdio_queue_readv(r->q, r->file[t->file], t->iov, t->iovcnt, t->offset, 0, cookie);
}

static bool ticket_is_right(struct rig *r, const struct ticket *t, const struct bdio_completion *c)
{
	const struct sample_file *f = &r->s->file[t->file];
	size_t want = sample_expect(f, t->offset, t->len);
	bool nosum = t->file == SAMPLE_NOSUM && want;

	if (!t->busy || !t->accepted || c->result != (ssize_t)want || c->error)
		return false;
	/* the vectors follow each other in memory */
	return !memcmp(t->iov[0].iov_base, f->bytes + (want ? t->offset : 0), want) &&
	       !(c->flags & BDIO_COMPLETION_REPAIRED) &&
	       nosum == !!(c->flags & BDIO_COMPLETION_UNVERIFIED);
}

static unsigned int take(struct rig *r, struct ticket *tickets, const struct bdio_completion *c,
			 int n)
{
	for (int i = 0; i < n; i++) {
		struct ticket *t = &tickets[c[i].user_data];

		CU_ASSERT(ticket_is_right(r, t, &c[i]));
		t->busy = t->accepted = false;
	}
	return n > 0 ? (unsigned int)n : 0;
}

/* Random batches, random ways to reap. */
static void churn(struct rig *r, struct ticket *tickets, unsigned int rounds)
{
	struct bdio_completion done[DEPTH];
	unsigned int prepared = 0, flying = 0;

	while (rounds || flying || prepared) {
		for (uint64_t i = rounds ? rnd(DEPTH) : 0; i > 0 && rounds; i--, rounds--) {
			unsigned int slot = 0;

			while (slot < DEPTH && tickets[slot].busy)
				slot++;
			if (slot == DEPTH)
				break;
			fill_ticket(r, &tickets[slot]);
			CU_ASSERT_EQUAL_FATAL(prepare(r, &tickets[slot], slot), 0);
			tickets[slot].busy = true;
			prepared++;
		}
		if (prepared && (!rounds || rnd(3))) {
			CU_ASSERT_EQUAL_FATAL(bdio_queue_submit(r->q), (int)prepared);
			for (unsigned int i = 0; i < DEPTH; i++)
				tickets[i].accepted = tickets[i].busy;
			flying += prepared;
			prepared = 0;
		}
		if (flying && rnd(2)) {
			unsigned int max = 1 + (unsigned int)rnd(DEPTH);
			unsigned int min = rnd(2) ? (unsigned int)rnd(max + 1) : 0;
			int n = bdio_queue_wait(r->q, done, max, min, -1);

			CU_ASSERT(n >= (int)(min < flying ? min : flying) && n <= (int)max);
			flying -= take(r, tickets, done, n);
		} else {
			int n = bdio_queue_peek(r->q, done, DEPTH);

			CU_ASSERT(n >= 0);
			flying -= take(r, tickets, done, n);
		}
	}
	CU_ASSERT_EQUAL(bdio_queue_wait(r->q, done, DEPTH, DEPTH, -1), 0);
}

static void churn_with(uint64_t flags, bool registered)
{
	struct ticket tickets[DEPTH] = {0};
	uint8_t *mem = bd_alloc_aligned(4096, DEPTH * SLOT);
	struct iovec whole = {mem, DEPTH * SLOT};
	struct rig r;

	rig_init(&r, &(struct img_opts){.data = BD_BG_RAID0, .num_devs = 2}, flags, DEPTH);
	for (unsigned int i = 0; i < DEPTH; i++)
		tickets[i].mem = mem + i * SLOT;
	if (registered)
		CU_ASSERT_EQUAL(bdio_queue_register(r.q, &whole, 1), 0);
	churn(&r, tickets, 300);
	if (registered) {
		CU_ASSERT_EQUAL(bdio_queue_register(r.q, NULL, 0), 0);
		churn(&r, tickets, 50);
	}
	rig_fini(&r);
	free(mem);
}

static void random_batches(void)
{
	churn_with(0, false);
	churn_with(BDIO_QUEUE_SINGLE_ISSUER, false);
}

static void blocking_queue(void)
{
	churn_with(BDIO_QUEUE_BLOCKING, false);
}

static void registered_buffers(void)
{
	churn_with(0, true);
}

/* Completed, failed or cut short: a request is free again once it was returned. */
static void full_queue(void)
{
	struct bdio_completion c;
	uint8_t buf[4096];
	struct rig r;

	rig_init(&r, &(struct img_opts){0}, 0, 2);
	for (unsigned int i = 0; i < 2; i++)
		CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[SAMPLE_PLAIN], buf, 4096, 0, 0, i), 0);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[SAMPLE_PLAIN], buf, 4096, 0, 0, 2), -EAGAIN);
	CU_ASSERT_EQUAL(bdio_queue_submit(r.q), 2);
	CU_ASSERT_EQUAL(bdio_queue_submit(r.q), 0);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[SAMPLE_PLAIN], buf, 4096, 0, 0, 2), -EAGAIN);
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, -1), 1);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[SAMPLE_PLAIN], buf, 4096, 0, 0, 2), 0);
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, -1), 1);
	/* A failed one too: nothing is prepared or in flight beside the one that is prepared. */
	img_damage(r.s->img, r.s->file[SAMPLE_PLAIN].logical, 0);
	CU_ASSERT_EQUAL(bdio_queue_submit(r.q), 1);
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, -1), 1);
	CU_ASSERT_EQUAL(c.result, -EIO);
	CU_ASSERT_PTR_NOT_NULL_FATAL(c.error);
	CU_ASSERT_EQUAL(c.error->code, -EIO);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[SAMPLE_PLAIN], buf, 4096, 0, 0, 3), 0);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[SAMPLE_PLAIN], buf, 4096, 0, 0, 4), 0);
	/* valid until the next wait */
	CU_ASSERT_EQUAL(c.error->file_length, 4096);
	rig_fini(&r);
}

static void bad_arguments(void)
{
	struct bdio_queue_opts opts = {.size = sizeof(opts), .depth = 4097};
	struct iovec iov[2] = {{NULL, 5}, {NULL, 0}};
	struct bdio_completion c;
	struct bdio_queue *q;
	uint8_t buf[16];
	struct rig r;

	rig_init(&r, &(struct img_opts){0}, 0, 4);
	CU_ASSERT_EQUAL(bdio_queue_create(r.fs, &opts, &q), -EINVAL);
	opts = (struct bdio_queue_opts){.size = sizeof(opts), .flags = 1ull << 40};
	CU_ASSERT_EQUAL(bdio_queue_create(r.fs, &opts, &q), -EINVAL);
	opts = (struct bdio_queue_opts){.size = sizeof(opts), .reserved = 1};
	CU_ASSERT_EQUAL(bdio_queue_create(r.fs, &opts, &q), -EINVAL);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[0], buf, 16, 0, 1u << 20, 0), -EINVAL);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[0], NULL, 16, 0, 0, 0), -EINVAL);
	CU_ASSERT_EQUAL(bdio_queue_readv(r.q, r.file[0], iov, 2, 0, 0, 0), -EINVAL);
	CU_ASSERT_EQUAL(bdio_queue_readv(r.q, r.file[0], iov, 1025, 0, 0, 0), -EINVAL);
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 2, 0), -EINVAL);
	CU_ASSERT_EQUAL(bdio_queue_submit(r.q), 0);
	/* no vectors, empty vectors: a read of nothing */
	CU_ASSERT_EQUAL(bdio_queue_readv(r.q, r.file[0], NULL, 0, 0, 0, 1), 0);
	CU_ASSERT_EQUAL(bdio_queue_readv(r.q, r.file[0], &iov[1], 1, 0, 0, 1), 0);
	CU_ASSERT_EQUAL(bdio_queue_submit(r.q), 2);
	for (unsigned int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, -1), 1);
		CU_ASSERT_EQUAL(c.result, 0);
	}
	rig_fini(&r);
}

/* A tap that holds data reads back. */
static int hold_before(struct bd_tap *tap, struct bd_io *io, int *res)
{
	(void)io, (void)res;
	return *(atomic_bool *)tap->priv ? BD_TAP_HOLD : 1;
}

struct holder {
	struct bd_tap tap;
	atomic_bool on;
	struct bd_dev *dev;
};

static void holder_init(struct holder *h, struct rig *r)
{
	*h = (struct holder){.tap = {.before = hold_before, .priv = &h->on}};
	h->dev = img_tap(r->fs, 0, &h->tap);
}

/* What a read needs beside its data. */
static void warm(struct rig *r, unsigned int file)
{
	uint8_t byte;

	CU_ASSERT_EQUAL(bdio_file_read(r->file[file], &byte, 1, 0, 0), 1);
}

static void submit_held(struct rig *r, struct holder *h, void *buf)
{
	warm(r, SAMPLE_PLAIN);
	h->on = true;
	CU_ASSERT_EQUAL(bdio_queue_read(r->q, r->file[SAMPLE_PLAIN], buf, 4096, 0, 0, 5), 0);
	CU_ASSERT_EQUAL(bdio_queue_submit(r->q), 1);
	CU_ASSERT_EQUAL(bd_dev_tap_held(h->dev), 1);
}

static void pins_while_in_flight(void)
{
	uint8_t *buf = bd_alloc_aligned(4096, 4096);
	struct bdio_completion c;
	struct holder h;
	struct rig r;
	uint64_t logical;

	rig_init(&r, &(struct img_opts){0}, 0, 4);
	holder_init(&h, &r);
	logical = r.s->file[SAMPLE_PLAIN].logical;
	CU_ASSERT(!bd_is_pinned(&r.fs->vol.ls.pins, logical, 4096));
	submit_held(&r, &h, buf);
	CU_ASSERT(bd_is_pinned(&r.fs->vol.ls.pins, logical, 4096));
	h.on = false;
	bd_dev_tap_release(h.dev);
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, -1), 1);
	CU_ASSERT_EQUAL(c.result, 4096);
	CU_ASSERT(!bd_is_pinned(&r.fs->vol.ls.pins, logical, 4096));
	CU_ASSERT(!bd_is_pinned(&r.fs->vol.ls.pins, 0, UINT64_MAX));
	rig_fini(&r);
	free(buf);
}

static void waits_with_a_limit(void)
{
	uint8_t *buf = bd_alloc_aligned(4096, 4096);
	struct bdio_completion c;
	struct holder h;
	struct rig r;
	uint64_t start;

	rig_init(&r, &(struct img_opts){0}, 0, 4);
	holder_init(&h, &r);
	submit_held(&r, &h, buf);
	CU_ASSERT_EQUAL(bdio_queue_peek(r.q, &c, 1), 0);
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, 0), 0);
	start = now_ms();
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, 30 * 1000 * 1000), 0);
	CU_ASSERT(now_ms() - start >= 29);
	h.on = false;
	bd_dev_tap_release(h.dev);
	/* without a wait at all, but it is there: soon one of these finds it */
	for (unsigned int i = 0; i < 1000; i++) {
		int n = bdio_queue_wait(r.q, &c, 1, 1, 0);

		if (n) {
			CU_ASSERT_EQUAL(n, 1);
			CU_ASSERT_EQUAL(c.user_data, 5);
			c.user_data = 0;
			break;
		}
		usleep(1000);
	}
	CU_ASSERT_EQUAL(c.user_data, 0);
	rig_fini(&r);
	free(buf);
}

static void *release_later(void *arg)
{
	struct holder *h = arg;

	usleep(20000);
	h->on = false;
	bd_dev_tap_release(h->dev);
	return NULL;
}

/* Destroy waits for what is in flight; the buffer may be freed then. */
static void destroy_in_flight(void)
{
	uint8_t *buf = bd_alloc_aligned(4096, 4096);
	pthread_t thread;
	struct holder h;
	struct rig r;

	rig_init(&r, &(struct img_opts){0}, 0, 4);
	holder_init(&h, &r);
	submit_held(&r, &h, buf);
	/* one more that is never submitted, with vectors of its own */
	CU_ASSERT_EQUAL(bdio_queue_readv(r.q, r.file[0],
					 (struct iovec[]){{buf, 10}, {buf + 10, 10}}, 2, 0, 0, 0),
			0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, release_later, &h), 0);
	bdio_queue_destroy(r.q);
	r.q = NULL;
	CU_ASSERT_EQUAL(bd_dev_tap_held(h.dev), 0);
	CU_ASSERT_EQUAL(memcmp(buf, r.s->file[SAMPLE_PLAIN].bytes, 4096), 0);
	free(buf);
	pthread_join(thread, NULL);
	rig_fini(&r);
}

static bool readable(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t count;

	if (poll(&p, 1, ms) != 1)
		return false;
	return read(fd, &count, sizeof(count)) == sizeof(count);
}

/* Whatever completes, with or without a device read, wakes a poll loop. */
static void eventfd_of(uint64_t flags)
{
	uint8_t *buf = bd_alloc_aligned(4096, SLOT);
	struct bdio_completion c;
	struct rig r;
	int fd;

	rig_init(&r, &(struct img_opts){0}, flags, 4);
	fd = bdio_queue_eventfd(r.q);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(bdio_queue_eventfd(r.q), fd);
	while (readable(fd, 0))
		CU_ASSERT_EQUAL(bdio_queue_peek(r.q, &c, 1), 0);
	for (unsigned int i = 0; i < SAMPLE_FILES; i++) {
		int got = 0;

		CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[i], buf, SLOT, 0, 0, i), 0);
		CU_ASSERT_EQUAL(bdio_queue_submit(r.q), 1);
		while (!got && readable(fd, 2000))
			while (bdio_queue_peek(r.q, &c, 1) == 1)
				got++;
		CU_ASSERT_EQUAL(got, 1);
		CU_ASSERT_EQUAL(c.user_data, i);
		CU_ASSERT_EQUAL(c.result, (ssize_t)sample_expect(&r.s->file[i], 0, SLOT));
		while (readable(fd, 0))
			CU_ASSERT_EQUAL(bdio_queue_peek(r.q, &c, 1), 0);
	}
	rig_fini(&r);
	free(buf);
}

static void eventfd_wakes(void)
{
	eventfd_of(0);
	eventfd_of(BDIO_QUEUE_BLOCKING);
}

static void repaired_is_said(void)
{
	struct bdio_completion c;
	uint8_t buf[4096];
	struct rig r;

	rig_init(&r, &(struct img_opts){.data = BD_BG_DUP}, 0, 4);
	img_damage(r.s->img, r.s->file[SAMPLE_PLAIN].logical, 0);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[SAMPLE_PLAIN], buf, 4096, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(bdio_queue_submit(r.q), 1);
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, -1), 1);
	CU_ASSERT_EQUAL(c.result, 4096);
	CU_ASSERT_EQUAL(c.flags, BDIO_COMPLETION_REPAIRED);
	CU_ASSERT_PTR_NULL(c.error);
	CU_ASSERT_EQUAL(bdio_queue_read(r.q, r.file[SAMPLE_PLAIN], buf, 4096, 0,
					BDIO_READ_NO_VERIFY, 0),
			0);
	CU_ASSERT_EQUAL(bdio_queue_submit(r.q), 1);
	CU_ASSERT_EQUAL(bdio_queue_wait(r.q, &c, 1, 1, -1), 1);
	CU_ASSERT_EQUAL(c.flags, BDIO_COMPLETION_UNVERIFIED);
	CU_ASSERT_EQUAL(memcmp(buf, r.s->file[SAMPLE_PLAIN].bytes, 4096) != 0, 1);
	rig_fini(&r);
}

static const struct unit_test tests[] = {
	UNIT_TEST(random_batches),     UNIT_TEST(blocking_queue),
	UNIT_TEST(registered_buffers), UNIT_TEST(full_queue),
	UNIT_TEST(bad_arguments),      UNIT_TEST(pins_while_in_flight),
	UNIT_TEST(waits_with_a_limit), UNIT_TEST(destroy_in_flight),
	UNIT_TEST(eventfd_wakes),      UNIT_TEST(repaired_is_said),
};
UNIT_MAIN("queue", tests)
