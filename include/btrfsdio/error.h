/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/error.h - what failed, where, and with which numbers
 *
 * The errno values that calls return, in the library's own meaning:
 *
 *	-EUCLEAN     on-disk data fails a check (corruption)
 *	-EIO         the device failed, or no copy of the data has the right checksum
 *	-ENXIO       a device of the filesystem is missing and is needed
 *	-EOPNOTSUPP  the filesystem uses a feature that is named in the message
 *	-EINVAL      an argument is wrong: unknown flag, size, range, alignment
 *	-ENOENT -ENOTDIR -EISDIR -ELOOP -ENAMETOOLONG -ENODATA -ERANGE   as in POSIX
 *	-EBUSY       in use by the kernel or by another process
 *	-ESTALE      the subvolume or inode exists no longer
 *	-ENOMEM      no memory
 *
 * Thread rule: the record is the calling thread's own.
 */
#ifndef BTRFSDIO_ERROR_H
#define BTRFSDIO_ERROR_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* which of the numbers below are set */
#define BDIO_ERROR_LOGICAL (1u << 0) /* logical, logical_length */
#define BDIO_ERROR_DEVICE  (1u << 1) /* devid, physical */
#define BDIO_ERROR_INODE   (1u << 2) /* subvol, inode */
#define BDIO_ERROR_FILE	   (1u << 3) /* file_offset, file_length */
#define BDIO_ERROR_CSUM	   (1u << 4) /* csum_size, csum_expected, csum_found */

#define BDIO_ERROR_MESSAGE_MAX 256

struct bdio_error {
	int code;	  /* negative errno, 0: nothing failed */
	uint32_t has;	  /* BDIO_ERROR_* */
	const char *site; /* static identifier, one per place of failure; NULL when code is 0 */
	const char *source_file; /* static */
	int source_line;
	uint32_t csum_size; /* bytes of the two checksums, 4..32 */
	uint64_t logical;   /* address in the filesystem's logical space */
	uint64_t logical_length;
	uint64_t devid;
	uint64_t physical; /* byte on the device */
	uint64_t subvol;
	uint64_t inode;
	uint64_t file_offset; /* first byte of the file that is concerned */
	uint64_t file_length; /* number of such bytes */
	uint8_t csum_expected[32];
	uint8_t csum_found[32];
	char message[BDIO_ERROR_MESSAGE_MAX]; /* one line, no newline */
};

/**
 * bdio_error_get() - the record of the calling thread's last failed call
 *
 * Return: never NULL; valid until the thread's next call into the library. A call that
 * succeeds may leave an older record in place, so look only after a failure.
 */
BDIO_API const struct bdio_error *bdio_error_get(void);

/**
 * bdio_error_format() - the record as one line for a person
 * @error: from bdio_error_get() or from a completion
 * @buf, @size: destination; always terminated when @size > 0, cut when too small
 *
 * The line holds the message and every number that is set. Thread-safe.
 * Return: bytes that the whole line needs, without its terminator.
 */
BDIO_API size_t bdio_error_format(const struct bdio_error *error, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
