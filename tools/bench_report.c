/* SPDX-License-Identifier: MIT */
/* tools/bench_report.c - what was measured, for people, and as fio prints it */
#include "bench_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "json.h"
#include "print.h"

static const double percentiles[] = {1,	 5,  10, 20, 30,   40,	 50,	60,   70,
				     80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

#define NUM_PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

static double elapsed_seconds(const struct bench_result *result)
{
	return result->elapsed_ns ? (double)result->elapsed_ns / 1e9 : 1e-9;
}

static const char *job_name(const struct bench_job *job)
{
	return job->random ? "randread" : "read";
}

/* --- text --- */

static void print_counters(const struct bench_report *report)
{
	const struct bdio_counters *counters = report->counters;
	double ios = report->result->ios ? (double)report->result->ios : 1;
	double bytes = report->result->bytes ? (double)report->result->bytes : 1;

	printf("  per read: system calls %.3f, device reads %.3f; per byte: device %.3f, "
	       "copied %.3f, verified %.3f\n",
	       (double)counters->syscalls / ios, (double)counters->device_reads / ios,
	       (double)counters->device_read_bytes / bytes, (double)counters->copied_bytes / bytes,
	       (double)counters->verified_bytes / bytes);
}

void bench_print(const struct bench_report *report)
{
	const struct bench_job *job = report->job;
	const struct bench_result *result = report->result;
	double seconds = elapsed_seconds(result);
	char rate[SIZE_TEXT_MAX], bytes[SIZE_TEXT_MAX];

	printf("%s: %s bs=%zu iodepth=%u batch=%u numjobs=%u\n", report->engine->name,
	       job_name(job), job->block, job->depth, job->batch, job->threads);
	printf("  %.0f IOPS, %s/s, %s in %.2f s\n", (double)result->ios / seconds,
	       size_text((uint64_t)((double)result->bytes / seconds), rate),
	       size_text(result->bytes, bytes), seconds);
	printf("  latency us: mean %.1f, 50%% %.1f, 99%% %.1f, 99.9%% %.1f, max %.1f\n",
	       hist_mean(&result->latency) / 1e3,
	       (double)hist_percentile(&result->latency, 50) / 1e3,
	       (double)hist_percentile(&result->latency, 99) / 1e3,
	       (double)hist_percentile(&result->latency, 99.9) / 1e3,
	       (double)result->latency.max / 1e3);
	printf("  cpu: user %.2f s, system %.2f s, %.2f us per read\n", result->user_cpu,
	       result->system_cpu,
	       (result->user_cpu + result->system_cpu) * 1e6 /
		       (result->ios ? (double)result->ios : 1));
	if (report->counters)
		print_counters(report);
}

/* --- JSON --- */

static void json_latency(struct json *json, const char *key, const struct bench_hist *hist,
			 bool with_percentiles)
{
	json_object(json, key);
	json_u64(json, "min", hist->min);
	json_u64(json, "max", hist->max);
	json_double(json, "mean", hist_mean(hist));
	json_double(json, "stddev", hist_deviation(hist));
	json_u64(json, "N", hist->count);
	if (with_percentiles) {
		json_object(json, "percentile");
		for (size_t i = 0; i < NUM_PERCENTILES; i++) {
			char name[32];
			snprintf(name, sizeof(name), "%.6f", percentiles[i]);
			json_u64(json, name, hist_percentile(hist, percentiles[i]));
		}
		json_end(json);
	}
	json_end(json);
}

static void json_options(struct json *json, const struct bench_report *report)
{
	const struct bench_job *job = report->job;

	json_object(json, "job options");
	json_text(json, "ioengine", report->engine->name);
	json_bytes(json, "filename", report->path, strlen(report->path));
	json_text(json, "rw", job_name(job));
	json_u64(json, "bs", job->block);
	json_u64(json, "iodepth", job->depth);
	json_u64(json, "iodepth_batch", job->batch);
	json_u64(json, "numjobs", job->threads);
	json_u64(json, "size", job->size);
	json_u64(json, "runtime", job->runtime_ns / 1000000000u);
	json_end(json);
}

static void json_read(struct json *json, const struct bench_result *result)
{
	double seconds = elapsed_seconds(result);

	json_object(json, "read");
	json_u64(json, "io_bytes", result->bytes);
	json_u64(json, "io_kbytes", result->bytes / 1024);
	json_u64(json, "bw_bytes", (uint64_t)((double)result->bytes / seconds));
	json_u64(json, "bw", (uint64_t)((double)result->bytes / seconds / 1024));
	json_double(json, "iops", (double)result->ios / seconds);
	json_u64(json, "runtime", result->elapsed_ns / 1000000u);
	json_u64(json, "total_ios", result->ios);
	json_latency(json, "clat_ns", &result->latency, true);
	json_latency(json, "lat_ns", &result->latency, false);
	json_end(json);
}

static void json_counters(struct json *json, const struct bdio_counters *counters)
{
	json_object(json, "counters");
	json_u64(json, "syscalls", counters->syscalls);
	json_u64(json, "device_reads", counters->device_reads);
	json_u64(json, "device_read_bytes", counters->device_read_bytes);
	json_u64(json, "user_read_bytes", counters->user_read_bytes);
	json_u64(json, "copied_bytes", counters->copied_bytes);
	json_u64(json, "verified_bytes", counters->verified_bytes);
	json_u64(json, "csum_errors", counters->csum_errors);
	json_u64(json, "bounces", counters->bounces);
	json_u64(json, "read_errors", counters->read_errors);
	json_u64(json, "mirror_reads", counters->mirror_reads);
	json_u64(json, "parity_rebuilds", counters->parity_rebuilds);
	json_u64(json, "metadata_errors", counters->metadata_errors);
	json_u64(json, "node_hits", counters->node_hits);
	json_u64(json, "node_reads", counters->node_reads);
	json_u64(json, "tree_searches", counters->tree_searches);
	json_u64(json, "cache_bytes", counters->cache_bytes);
	json_end(json);
}

void bench_print_json(const struct bench_report *report)
{
	const struct bench_result *result = report->result;
	double seconds = elapsed_seconds(result);
	struct json json;

	json_start(&json, stdout);
	json_text(&json, "btrfsdio version", bdio_version());
	json_u64(&json, "timestamp", (uint64_t)time(NULL));
	json_array(&json, "jobs");
	json_object(&json, NULL);
	json_text(&json, "jobname", job_name(report->job));
	json_u64(&json, "groupid", 0);
	json_u64(&json, "error", 0);
	json_options(&json, report);
	json_read(&json, result);
	/* per cent of the time of one processor */
	json_double(&json, "usr_cpu", 100 * result->user_cpu / seconds);
	json_double(&json, "sys_cpu", 100 * result->system_cpu / seconds);
	json_u64(&json, "ctx", result->context_switches);
	json_end(&json);
	json_end(&json);
	if (report->counters)
		json_counters(&json, report->counters);
	json_finish(&json);
}
