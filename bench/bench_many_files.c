/* SPDX-License-Identifier: MIT */
/*
 * bench/bench_many_files.c - random reads over a filesystem of very many files: time and memory
 *
 *	bench_many_files IMAGE READS < list of paths, one per line
 *
 * Reads READS files of the list at random, each found by its path, and prints one JSON object: CPU
 * time of the open, files per second, peak resident memory, bytes in the caches.
 */
#include <btrfsdio/btrfsdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define BUF_SIZE (1u << 20)
#define LIST_MAX (64u << 20)

static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* What is resident now: the list of paths, before the library takes anything. */
static double resident_mib(void)
{
	unsigned long size = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu %lu", &size, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * 4096 / (1u << 20);
}

static int fail(const char *what)
{
	char line[1024];

	bdio_error_format(bdio_error_get(), line, sizeof(line));
	fprintf(stderr, "bench_many_files: %s: %s\n", what, line);
	return 1;
}

/* The whole input (at most LIST_MAX bytes), and where its lines begin. */
struct lines {
	char *text;
	char **start;
	size_t n;
};

static int read_lines(struct lines *lines)
{
	size_t size, max = LIST_MAX / 8;

	lines->text = malloc(LIST_MAX);
	lines->start = malloc(max * sizeof(*lines->start));
	if (!lines->text || !lines->start)
		return 1;
	size = fread(lines->text, 1, LIST_MAX - 1, stdin);
	lines->text[size] = 0;
	for (char *line = strtok(lines->text, "\n"); line && lines->n < max;
	     line = strtok(NULL, "\n"))
		lines->start[lines->n++] = line;
	return lines->n == 0;
}

static ssize_t read_one(struct bdio_fs *fs, const char *path, void *buf)
{
	struct bdio_ino root = {BDIO_SUBVOL_TOP, BDIO_INODE_ROOT}, ino;
	struct bdio_file *file;
	ssize_t got;
	int err = bdio_lookup(fs, root, path, strlen(path), 0, &ino);

	if (!err)
		err = bdio_file_open(fs, ino, &file);
	if (err)
		return err;
	got = bdio_file_read(file, buf, BUF_SIZE, 0, 0);
	bdio_file_close(file);
	return got;
}

int main(int argc, char **argv)
{
	struct bdio_counters counters;
	struct lines lines = {0};
	struct rusage after;
	struct bdio_fs *fs;
	double cpu, start, open_cpu, took, before;
	unsigned long reads, bytes = 0;
	void *buf = aligned_alloc(4096, BUF_SIZE);

	if (argc != 3 || !buf || read_lines(&lines)) {
		fprintf(stderr, "usage: bench_many_files IMAGE READS < paths\n");
		return 2;
	}
	reads = strtoul(argv[2], NULL, 10);
	before = resident_mib();
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (bdio_open((const char *const *)&argv[1], 1, NULL, &fs))
		return fail(argv[1]);
	open_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	srandom(1);
	start = seconds(CLOCK_MONOTONIC);
	for (unsigned long i = 0; i < reads; i++) {
		const char *path = lines.start[(size_t)random() % lines.n];
		ssize_t got = read_one(fs, path, buf);

		if (got < 0)
			return fail(path);
		bytes += (unsigned long)got;
	}
	took = seconds(CLOCK_MONOTONIC) - start;
	getrusage(RUSAGE_SELF, &after);
	bdio_fs_get_counters(fs, &counters);
	printf("{\"files\": %zu, \"reads\": %lu, \"bytes\": %lu, \"open_cpu_ms\": %.3f, "
	       "\"reads_per_s\": %.0f, \"library_peak_mib\": %.1f, \"cache_mib\": %.1f}\n",
	       lines.n, reads, bytes, open_cpu * 1e3, (double)reads / took,
	       (double)after.ru_maxrss / 1024 - before, (double)counters.cache_bytes / (1u << 20));
	bdio_close(fs);
	free(lines.start);
	free(lines.text);
	free(buf);
	return 0;
}
