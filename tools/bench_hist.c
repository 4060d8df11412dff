/* SPDX-License-Identifier: MIT */
/* tools/bench_hist.c - a histogram of latencies, precise to 1.6 per cent at any size */
#include "bench_hist.h"

#include <math.h>

#define PARTS_BITS 6

static unsigned int bucket_of(uint64_t value)
{
	if (value < HIST_PARTS)
		return (unsigned int)value;
	unsigned int shift = 63 - PARTS_BITS - (unsigned int)__builtin_clzll(value);
	return (shift + 1) * HIST_PARTS + (unsigned int)((value >> shift) - HIST_PARTS);
}

/* The largest value that falls into a bucket. */
static uint64_t bucket_end(unsigned int bucket)
{
	if (bucket < HIST_PARTS)
		return bucket;
	unsigned int shift = bucket / HIST_PARTS - 1;
	uint64_t part = bucket % HIST_PARTS + HIST_PARTS + 1;
	return (part << shift) - 1;
}

void hist_add(struct bench_hist *hist, uint64_t value)
{
	double real = (double)value;

	if (hist->count == 0 || value < hist->min)
		hist->min = value;
	if (value > hist->max)
		hist->max = value;
	hist->count++;
	hist->sum += real;
	hist->sum_of_squares += real * real;
	hist->buckets[bucket_of(value)]++;
}

void hist_merge(struct bench_hist *into, const struct bench_hist *from)
{
	if (from->count == 0)
		return;
	if (into->count == 0 || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
	into->sum_of_squares += from->sum_of_squares;
	for (unsigned int i = 0; i < HIST_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
}

uint64_t hist_percentile(const struct bench_hist *hist, double percent)
{
	uint64_t wanted = (uint64_t)ceil((double)hist->count * percent / 100), seen = 0;

	for (unsigned int i = 0; i < HIST_BUCKETS; i++) {
		seen += hist->buckets[i];
		if (seen >= wanted && seen > 0)
			return bucket_end(i) < hist->max ? bucket_end(i) : hist->max;
	}
	return 0;
}

double hist_mean(const struct bench_hist *hist)
{
	return hist->count ? hist->sum / (double)hist->count : 0;
}

double hist_deviation(const struct bench_hist *hist)
{
	double mean = hist_mean(hist);
	double variance =
		hist->count ? hist->sum_of_squares / (double)hist->count - mean * mean : 0;

	return variance > 0 ? sqrt(variance) : 0;
}
