/* SPDX-License-Identifier: MIT */
/* tests/unit/test_err.c - the error record: filling, clearing, formatting, one per thread */
#include "unit.h"

#include <pthread.h>
#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

/* Read by the address sanitizer: an allocation that is too large is to fail, as it does without. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void nothing_failed_yet(void)
{
	char line[64];

	bd_err_clear();
	CU_ASSERT_EQUAL(bdio_error_get()->code, 0);
	CU_ASSERT_PTR_NULL(bdio_error_get()->site);
	CU_ASSERT_EQUAL(bdio_error_format(bdio_error_get(), line, sizeof(line)), 8);
	CU_ASSERT_STRING_EQUAL(line, "no error");
}

static void fail_fills_the_record(void)
{
	int line = __LINE__ + 1;
	int err = BD_FAIL(-EUCLEAN, TEST_SITE, "corrupt node: logical %d, level %d", 4096, 9);

	const struct bdio_error *e = bdio_error_get();
	CU_ASSERT_EQUAL(err, -EUCLEAN);
	CU_ASSERT_EQUAL(e->code, -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(e->site, "TEST_SITE");
	CU_ASSERT_STRING_EQUAL(e->source_file, __FILE__);
	CU_ASSERT_EQUAL(e->source_line, line);
	CU_ASSERT_STRING_EQUAL(e->message, "corrupt node: logical 4096, level 9");
	CU_ASSERT_EQUAL(e->has, 0);
}

static void a_new_failure_forgets_old_numbers(void)
{
	BD_FAIL(-EIO, TEST_FIRST, "first");
	bd_err_at_logical(1, 2);
	/* The arguments may be in the record that is replaced. */
	BD_FAIL(-EIO, TEST_SECOND, "second after %s", bd_err_self()->message);
	CU_ASSERT_EQUAL(bdio_error_get()->has, 0);
	CU_ASSERT_EQUAL(bdio_error_get()->logical, 0);
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->message, "second after first");
}

static void format_holds_every_number(void)
{
	const uint8_t expected[4] = {0xde, 0xad, 0xbe, 0xef}, found[4] = {0, 1, 2, 3};
	const char want[] = "no copy is good, subvol 5 inode 257, file offset 8192 length 4096, "
			    "logical 30408704 length 4096, device 2 physical 9437184, "
			    "checksum expected 0xdeadbeef, found 0x00010203 [TEST_NUMBERS]";
	char line[512];

	BD_FAIL(-EIO, TEST_NUMBERS, "no copy is good");
	bd_err_at_inode(5, 257);
	bd_err_at_file(8192, 4096);
	bd_err_at_logical(30408704, 4096);
	bd_err_at_device(2, 9437184);
	bd_err_csums(expected, found, 4);
	CU_ASSERT_EQUAL(bdio_error_format(bdio_error_get(), line, sizeof(line)), strlen(want));
	CU_ASSERT_STRING_EQUAL(line, want);
}

static void format_cuts_and_terminates(void)
{
	char line[16] = "###############";

	BD_FAIL(-EIO, TEST_CUT, "0123456789");
	size_t whole = strlen("0123456789 [TEST_CUT]");
	CU_ASSERT_EQUAL(bdio_error_format(bdio_error_get(), line, 8), whole);
	CU_ASSERT_STRING_EQUAL(line, "0123456");
	CU_ASSERT_EQUAL(line[8], '#');
	CU_ASSERT_EQUAL(bdio_error_format(bdio_error_get(), line, 1), whole);
	CU_ASSERT_STRING_EQUAL(line, "");
	CU_ASSERT_EQUAL(bdio_error_format(bdio_error_get(), NULL, 0), whole);
}

static void messages_are_one_printable_line(void)
{
	BD_FAIL(-EIO, TEST_CONTROL, "name %s", "a\nb\x1b[31m\x7f\xc3\xa4");
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->message, "name a?b?[31m?\xc3\xa4");
}

static void long_messages_are_cut(void)
{
	BD_FAIL(-EIO, TEST_LONG, "%0400d", 1);
	CU_ASSERT_EQUAL(strlen(bdio_error_get()->message), BDIO_ERROR_MESSAGE_MAX - 1);
}

static void *fail_elsewhere(void *arg)
{
	*(int *)arg = bdio_error_get()->code;
	BD_FAIL(-ENOMEM, TEST_THREAD, "other thread");
	return NULL;
}

static void each_thread_has_its_own(void)
{
	pthread_t thread;
	int code_there = 1;

	BD_FAIL(-EIO, TEST_HERE, "this thread");
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, fail_elsewhere, &code_there), 0);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(code_there, 0);
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, "TEST_HERE");
}

static void arrays_grow(void)
{
	uint32_t *v = NULL;
	size_t cap = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		CU_ASSERT_EQUAL_FATAL(bd_array_grow((void **)&v, &cap, i + 1, sizeof(*v)), 0);
		v[i] = i;
	}
	CU_ASSERT(cap >= 1000 && cap < 3000);
	CU_ASSERT_EQUAL(v[7], 7);
	CU_ASSERT_EQUAL(v[999], 999);

	size_t before = cap;
	CU_ASSERT_EQUAL(bd_array_grow((void **)&v, &cap, SIZE_MAX / 2, sizeof(*v)), -ENOMEM);
	CU_ASSERT_EQUAL(cap, before);
	CU_ASSERT_EQUAL(v[999], 999);
	free(v);
}

static void allocation_checks_overflow(void)
{
	/* volatile: or the compiler warns about exactly what is tested */
	volatile size_t huge = SIZE_MAX / 2;
	CU_ASSERT_PTR_NULL(bd_calloc(huge, 4));
	uint8_t *p = bd_alloc_aligned(4096, 10);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT(bd_is_aligned((uintptr_t)p, 4096));
	free(p);
	p = bd_zalloc(3);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(p[0] | p[1] | p[2], 0);
	free(p);
}

static const struct unit_test tests[] = {
	UNIT_TEST(nothing_failed_yet),
	UNIT_TEST(fail_fills_the_record),
	UNIT_TEST(a_new_failure_forgets_old_numbers),
	UNIT_TEST(format_holds_every_number),
	UNIT_TEST(format_cuts_and_terminates),
	UNIT_TEST(messages_are_one_printable_line),
	UNIT_TEST(long_messages_are_cut),
	UNIT_TEST(each_thread_has_its_own),
	UNIT_TEST(arrays_grow),
	UNIT_TEST(allocation_checks_overflow),
};

UNIT_MAIN("err", tests)
