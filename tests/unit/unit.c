/* SPDX-License-Identifier: MIT */
/* tests/unit/unit.c - runs a suite and prints what scripts/test counts */
#include "unit.h"

#include <CUnit/TestRun.h>
#include <stdio.h>

static unsigned int passed, failed, skipped;
static const char *skip_reason;

void unit_skip(const char *reason)
{
	skip_reason = reason;
}

static void started(const CU_pTest test, const CU_pSuite suite)
{
	(void)test;
	(void)suite;
	skip_reason = NULL;
}

static void completed(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord first)
{
	for (CU_pFailureRecord f = first; f; f = f->pNext)
		printf("# %s:%u: %s\n", f->strFileName, f->uiLineNumber, f->strCondition);
	if (first) {
		failed++;
		printf("not ok %s.%s\n", suite->pName, test->pName);
	} else if (skip_reason) {
		skipped++;
		printf("skip %s.%s: %s\n", suite->pName, test->pName, skip_reason);
	} else {
		passed++;
		printf("ok %s.%s\n", suite->pName, test->pName);
	}
	fflush(stdout);
}

static int wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], name))
			return 1;
	}
	return argc < 2;
}

int unit_main(const char *suite_name, const struct unit_test *tests, size_t count, int argc,
	      char **argv)
{
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);
	for (size_t i = 0; suite && i < count; i++) {
		if (wanted(tests[i].name, argc, argv) &&
		    !CU_add_test(suite, tests[i].name, tests[i].fn))
			suite = NULL;
	}
	if (suite) {
		CU_set_test_start_handler(started);
		CU_set_test_complete_handler(completed);
		CU_run_all_tests();
	} else {
		fprintf(stderr, "cannot register %s: %s\n", suite_name, CU_get_error_msg());
		failed++;
	}
	CU_cleanup_registry();
	if (passed + failed + skipped == 0) {
		fprintf(stderr, "%s: no test ran\n", suite_name);
		return 1;
	}
	printf("unit: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
	if (failed)
		return 1;
	return passed ? 0 : 77;
}
