/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/device.h - a device that the caller supplies
 *
 * Put a qcow2 file, a network source or a decrypting layer below a filesystem: fill a struct
 * bdio_device and name it in bdio_open_opts.devices. The library calls its functions from any
 * thread that uses the filesystem, several at a time: they must be thread-safe. They must not
 * call back into the same filesystem.
 *
 * Example: examples/custom_device.c
 */
#ifndef BTRFSDIO_DEVICE_H
#define BTRFSDIO_DEVICE_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bdio_device {
	size_t size;	  /* sizeof(struct bdio_device) */
	void *priv;	  /* handed to every function */
	const char *name; /* for messages; copied; NULL: "caller's device" */

	/*
	 * Read exactly @len bytes at @offset. Offsets and lengths are multiples of 512 and lie
	 * inside size_bytes(). Return: 0 or a negative errno; never a count. Required.
	 */
	int (*read)(void *priv, void *buf, size_t len, uint64_t offset);
	/* The same for writing; NULL: the device is read-only. */
	int (*write)(void *priv, const void *buf, size_t len, uint64_t offset);
	/* Make every completed write durable. Required when write is given. */
	int (*flush)(void *priv);
	/* Size in bytes, asked once at open. Required. */
	int (*size_bytes)(void *priv, uint64_t *out);
	/*
	 * Called once: when the filesystem is closed, or when bdio_open() fails, unless that is
	 * because it cannot make sense of bdio_open_opts.size. May be NULL.
	 */
	void (*close)(void *priv);

	uint64_t reserved[4]; /* must be 0 */
};

#ifdef __cplusplus
}
#endif
#endif
