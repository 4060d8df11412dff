/* SPDX-License-Identifier: MIT */
/* tools/bench_hist.h - a histogram of latencies, precise to 1.6 per cent at any size */
#ifndef BTRFSDIO_TOOLS_BENCH_HIST_H
#define BTRFSDIO_TOOLS_BENCH_HIST_H

#include <stdint.h>

/* Each power of two is cut into 64 equal parts; below 64 every value has its own. */
#define HIST_PARTS   64
#define HIST_BUCKETS (HIST_PARTS * 59)

struct bench_hist {
	uint64_t count, min, max;
	double sum, sum_of_squares;
	uint64_t buckets[HIST_BUCKETS];
};

void hist_add(struct bench_hist *hist, uint64_t value);
void hist_merge(struct bench_hist *into, const struct bench_hist *from);
/* The value that @percent per cent of all do not exceed; 0 when there is none. */
uint64_t hist_percentile(const struct bench_hist *hist, double percent);
double hist_mean(const struct bench_hist *hist);
double hist_deviation(const struct bench_hist *hist);

#endif
