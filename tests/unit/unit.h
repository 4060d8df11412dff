/* SPDX-License-Identifier: MIT */
/* tests/unit/unit.h - the main() of a CUnit program: one suite, one result line per test */
#ifndef BD_TESTS_UNIT_H
#define BD_TESTS_UNIT_H

#include <CUnit/CUnit.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 *	static void reads_back(void) { CU_ASSERT_EQUAL(1 + 1, 2); }
 *
 *	static const struct unit_test tests[] = {
 *		UNIT_TEST(reads_back),
 *	};
 *	UNIT_MAIN("mem_dev", tests)
 *
 * Each test prints `ok SUITE.NAME`, `not ok SUITE.NAME` or `skip SUITE.NAME: reason`, the
 * lines that scripts/test counts. Exit status: 0, 1 when a test failed, 77 when all skipped.
 * With arguments, only the tests so named are run. Link unit.c.
 */
struct unit_test {
	const char *name;
	void (*fn)(void);
};

#define UNIT_TEST(fn)   \
	{               \
#fn, fn \
	}

/* Call it and return from the test: what the test needs is not there. */
void unit_skip(const char *reason);

int unit_main(const char *suite_name, const struct unit_test *tests, size_t count, int argc,
	      char **argv);

#define UNIT_MAIN(suite, tests)                                                              \
	int main(int argc, char **argv)                                                      \
	{                                                                                    \
		return unit_main((suite), (tests), sizeof(tests) / sizeof((tests)[0]), argc, \
				 argv);                                                      \
	}

#endif
