/* SPDX-License-Identifier: MIT */
/* tools/report.c - what goes to stderr: "btrfsdio: PATH: message", warnings, a progress line */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "print.h"

#define PROGRESS_INTERVAL_NS 200000000ull

static void begin(const char *path)
{
	progress_clear();
	fputs("btrfsdio: ", stderr);
	if (path) {
		print_escaped(stderr, path, strlen(path));
		fputs(": ", stderr);
	}
}

/* Messages may hold names from the image. */
static void put_line(const char *text)
{
	print_escaped(stderr, text, strlen(text));
	putc('\n', stderr);
}

void report_record(const char *path, const struct bdio_error *error)
{
	char line[2 * BDIO_ERROR_MESSAGE_MAX + 512];

	bdio_error_format(error, line, sizeof(line));
	begin(path);
	put_line(line);
}

void report_error(const char *path, int err)
{
	const struct bdio_error *error = bdio_error_get();

	if (error->code == err)
		report_record(path, error);
	else
		report_errno(path, -err);
}

void report_errno(const char *path, int errnum)
{
	begin(path);
	put_line(strerror(errnum));
}

/* Formatted text may hold names from the image, too. */
static void put_formatted(const char *fmt, va_list args)
{
	char *text;

	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	put_line(text ? text : "out of memory");
	free(text);
}

void report(const char *path, const char *fmt, ...)
{
	va_list args;

	begin(path);
	va_start(args, fmt);
	put_formatted(fmt, args);
	va_end(args);
}

void report_warning(const char *fmt, ...)
{
	va_list args;

	begin("warning");
	va_start(args, fmt);
	put_formatted(fmt, args);
	va_end(args);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The line that is on the terminal, and when the next one may be. */
static bool progress_shown;
static uint64_t progress_next;

bool progress_due(void)
{
	return now_ns() >= progress_next && isatty(STDERR_FILENO);
}

void progress_show(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("\r\033[K", stderr);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fflush(stderr);
	progress_shown = true;
	progress_next = now_ns() + PROGRESS_INTERVAL_NS;
}

void progress_clear(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}
