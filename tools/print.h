/* SPDX-License-Identifier: MIT */
/* tools/print.h - names, sizes, times and modes as text */
#ifndef BTRFSDIO_TOOLS_PRINT_H
#define BTRFSDIO_TOOLS_PRINT_H

#include <stdio.h>
#include "btrfsdio/btrfsdio.h"

/*
 * Bytes of the valid UTF-8 character that starts at @text, 1..4; 0 when none does: overlong
 * forms, surrogates and what lies behind U+10FFFF are none. @out: the character; may be NULL.
 */
size_t utf8_char(const char *text, size_t len, uint32_t *out);

/*
 * A name for a person's eyes, on one line: printable UTF-8 as it is, a backslash as "\\", every
 * other byte as \xNN, so that no name can steer a terminal or feign a second line.
 */
void print_escaped(FILE *out, const char *text, size_t len);

#define UUID_TEXT_MAX 37
char *uuid_text(const uint8_t uuid[16], char buf[UUID_TEXT_MAX]);

/* "-rwxr-xr-x" */
#define MODE_TEXT_MAX 11
char *mode_text(uint32_t mode, char buf[MODE_TEXT_MAX]);

/* "1.50 GiB" */
#define SIZE_TEXT_MAX 16
char *size_text(uint64_t bytes, char buf[SIZE_TEXT_MAX]);

/* "2026-11-30 19:31:02.123456789 +0100", local time; "@SECONDS.NS" where the C library gives up */
#define TIME_TEXT_MAX 64
char *time_text(const struct bdio_timespec *time, char buf[TIME_TEXT_MAX]);
/* The same to the second, without the zone. */
char *short_time_text(const struct bdio_timespec *time, char buf[TIME_TEXT_MAX]);

/* "regular file", "directory", ... by the type bits of a mode */
const char *mode_type_name(uint32_t mode);
/* "file", "dir", "chrdev", "blkdev", "fifo", "socket", "symlink", "unknown"; of enum bdio_ftype */
const char *ftype_name(unsigned int type);

/* "data|raid1" of BDIO_BG_* */
#define BG_TEXT_MAX 128
char *bg_type_text(uint64_t flags, char buf[BG_TEXT_MAX]);
const char *bg_profile_name(uint64_t flags);

void print_hex(FILE *out, const void *bytes, size_t len);

#endif
