/* SPDX-License-Identifier: MIT */
/* base/err.c - the calling thread's error record, and its line for a person */
#include "base/err.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct bdio_error record;

/* Names come from disk: a line break or an escape sequence must not reach a log or a terminal. */
static void make_printable(char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
	}
}

int bd_fail(int err, const char *site, const char *file, int line, const char *fmt, ...)
{
	assert(err < 0);
	/* The arguments may point into the old record, so it goes only after they were printed. */
	char message[BDIO_ERROR_MESSAGE_MAX];
	va_list args;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	make_printable(message);

	record = (struct bdio_error){
		.code = err, .site = site, .source_file = file, .source_line = line};
	memcpy(record.message, message, sizeof(message));
	return err;
}

struct bdio_error *bd_err_self(void)
{
	return &record;
}

void bd_err_clear(void)
{
	record = (struct bdio_error){0};
}

void bd_err_at_logical(uint64_t logical, uint64_t length)
{
	record.has |= BDIO_ERROR_LOGICAL;
	record.logical = logical;
	record.logical_length = length;
}

void bd_err_at_device(uint64_t devid, uint64_t physical)
{
	record.has |= BDIO_ERROR_DEVICE;
	record.devid = devid;
	record.physical = physical;
}

void bd_err_at_inode(uint64_t subvol, uint64_t inode)
{
	record.has |= BDIO_ERROR_INODE;
	record.subvol = subvol;
	record.inode = inode;
}

void bd_err_at_file(uint64_t file_offset, uint64_t length)
{
	record.has |= BDIO_ERROR_FILE;
	record.file_offset = file_offset;
	record.file_length = length;
}

void bd_err_csums(const uint8_t *expected, const uint8_t *found, unsigned int size)
{
	assert(size <= sizeof(record.csum_expected));
	record.has |= BDIO_ERROR_CSUM;
	record.csum_size = size;
	memcpy(record.csum_expected, expected, size);
	memcpy(record.csum_found, found, size);
}

const struct bdio_error *bdio_error_get(void)
{
	return &record;
}

/* A destination of fixed size that goes on counting what would not fit. */
struct line {
	char *buf;
	size_t size;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void line_add(struct line *line, const char *fmt, ...)
{
	size_t room = line->used < line->size ? line->size - line->used : 0;
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(room ? line->buf + line->used : NULL, room, fmt, args);
	va_end(args);
	if (n > 0)
		line->used += (size_t)n;
}

/* In disk order, as the kernel's log prints them. */
static void line_add_csum(struct line *line, const char *label, const uint8_t *csum, uint32_t size)
{
	line_add(line, ", %s 0x", label);
	for (uint32_t i = 0; i < size; i++)
		line_add(line, "%02x", csum[i]);
}

static void line_add_numbers(struct line *line, const struct bdio_error *error)
{
	if (error->has & BDIO_ERROR_INODE)
		line_add(line, ", subvol %" PRIu64 " inode %" PRIu64, error->subvol, error->inode);
	if (error->has & BDIO_ERROR_FILE)
		line_add(line, ", file offset %" PRIu64 " length %" PRIu64, error->file_offset,
			 error->file_length);
	if (error->has & BDIO_ERROR_LOGICAL)
		line_add(line, ", logical %" PRIu64 " length %" PRIu64, error->logical,
			 error->logical_length);
	if (error->has & BDIO_ERROR_DEVICE)
		line_add(line, ", device %" PRIu64 " physical %" PRIu64, error->devid,
			 error->physical);
	if (error->has & BDIO_ERROR_CSUM && error->csum_size <= sizeof(error->csum_found)) {
		line_add_csum(line, "checksum expected", error->csum_expected, error->csum_size);
		line_add_csum(line, "found", error->csum_found, error->csum_size);
	}
}

size_t bdio_error_format(const struct bdio_error *error, char *buf, size_t size)
{
	struct line line = {.buf = buf, .size = size};

	if (size)
		buf[0] = '\0';
	if (!error->code) {
		line_add(&line, "no error");
		return line.used;
	}
	if (error->message[0])
		line_add(&line, "%s", error->message);
	else
		line_add(&line, "%s", strerrordesc_np(-error->code) ?: "unknown error");
	line_add_numbers(&line, error);
	if (error->site)
		line_add(&line, " [%s]", error->site);
	return line.used;
}
