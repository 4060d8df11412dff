/* SPDX-License-Identifier: MIT */
/* tools/bench_report.h - what was measured, for people, and as fio prints it */
#ifndef BTRFSDIO_TOOLS_BENCH_REPORT_H
#define BTRFSDIO_TOOLS_BENCH_REPORT_H

#include "bench.h"

struct bench_report {
	const struct bench_engine *engine;
	const struct bench_job *job;
	const struct bench_result *result;
	const char *path;
	/* Counters of the library over the job; NULL for other engines. */
	const struct bdio_counters *counters;
};

void bench_print(const struct bench_report *report);
void bench_print_json(const struct bench_report *report);

#endif
