/* SPDX-License-Identifier: MIT */
/* tools/report.h - what goes to stderr: "btrfsdio: PATH: message", warnings, a progress line */
#ifndef BTRFSDIO_TOOLS_REPORT_H
#define BTRFSDIO_TOOLS_REPORT_H

#include <stdbool.h>
#include "btrfsdio/btrfsdio.h"

/* A call of the library returned @err: its record of this thread says why. */
void report_error(const char *path, int err);
/* The same with a record that came with a completion or a callback. */
void report_record(const char *path, const struct bdio_error *error);
/* A call of the host failed with @errnum, a positive errno. */
void report_errno(const char *path, int errnum);
/* Anything else about @path, which may be NULL. */
void report(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void report_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * One line on a terminal that is written over and over, a few times per second; nothing when
 * stderr is no terminal. Reports clear it first. Use it from one thread at a time.
 */
bool progress_due(void);
void progress_show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

#endif
