/* SPDX-License-Identifier: MIT */
/* dev/dev.h - a device: a struct of functions over bytes. Devices stack. */
#ifndef BD_DEV_DEV_H
#define BD_DEV_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/uio.h>
#include "base/thread.h"
#include "btrfsdio/device.h"

struct bd_dev;
struct bd_ring;

enum bd_io_op { BD_IO_READ, BD_IO_WRITE, BD_IO_FLUSH };

/*
 * One device I/O. The issuer owns it and keeps it in place until done() is called: exactly
 * once for each bd_dev_submit(), on the thread that drives the ring, with no lock held; done()
 * may free the I/O, submit it again and submit others, but not drive its own ring. Data is one
 * buffer, or iovcnt > 0 vectors.
 */
struct bd_io {
	struct bd_dev *dev;
	enum bd_io_op op;
	int res;	 /* when done: 0 or a negative errno; a short transfer is -EIO */
	uint64_t offset; /* bytes on the device */
	uint32_t len;	 /* bytes in all */
	int buf_index;	 /* registered buffer that holds buf, or -1 */
	void *buf;	 /* when iov is NULL */
	struct iovec *iov;
	unsigned int iovcnt;
	void (*done)(struct bd_io *io);
	void *priv; /* the issuer's */

	/* private to dev/ */
	bool inner;	   /* made by a stacking device for another I/O, which the ring counts */
	uint16_t tries;	   /* consecutive -EAGAIN and -EINTR */
	uint32_t progress; /* bytes transferred so far */
	struct bd_ring *ring;
	STAILQ_ENTRY(bd_io) link;
};

struct bd_dev_ops {
	/* Start @io; complete it with bd_io_complete(), now or later, on any thread. */
	void (*submit)(struct bd_dev *dev, struct bd_ring *ring, struct bd_io *io);
	void (*close)(struct bd_dev *dev);
};

struct bd_dev {
	const struct bd_dev_ops *ops;
	char *name;	   /* path, or what the caller named it */
	uint64_t size;	   /* bytes */
	uint64_t base;	   /* where offset 0 is in the backing object; added by the back end */
	uint32_t io_align; /* of buffer, offset and length of an I/O: a power of two, 1..4096 */
	uint32_t max_io;   /* larger I/Os work, but may be punted to a kernel worker thread */
	int fd;		   /* -1 when there is none */
	bool writable;
	bool buffered; /* O_DIRECT was refused or the base offset is misaligned */
	bool is_block;
	/* statistics */
	bd_counter reads, writes, flushes, read_bytes, write_bytes;
	_Atomic uint32_t in_flight;
	_Atomic uint32_t rings; /* that registered fd */
};

/*
 * The checked door: asserts alignment once, counts, forwards to ops->submit(). What lies beyond
 * the end of the device fails with -EIO, a write to a read-only device with -EROFS; both
 * through done(), like everything else.
 */
void bd_dev_submit(struct bd_ring *ring, struct bd_io *io);

/* For back ends: queue @io on its ring's list of finished I/Os; done() runs from there. */
void bd_io_complete(struct bd_io *io, int res);

/* Blocking read on a ring of its own kind: for metadata and set-up. 0 or -errno (not reported). */
int bd_dev_read(struct bd_dev *dev, void *buf, uint32_t len, uint64_t offset);

/* Closes the device and those it stacks on, after every ring that it was used on. NULL is fine. */
void bd_dev_close(struct bd_dev *dev);

struct bd_dev_open {
	bool writable;	   /* takes O_EXCL on block devices, a lock on files */
	bool allow_in_use; /* open although the kernel has the filesystem mounted */
	uint64_t offset;   /* of the filesystem in the file */
};

/* File or block device by path. O_DIRECT where it is possible. Reported errors. */
int bd_dev_open_path(const char *path, const struct bd_dev_open *args, struct bd_dev **out);
/* @size zeroed bytes of memory. */
int bd_dev_open_mem(const char *name, uint64_t size, struct bd_dev **out);
/* Memory that the caller keeps and may change: for fuzzing and tests. Read-only unless @writable.
 */
int bd_dev_wrap_mem(const char *name, void *mem, uint64_t size, bool writable, struct bd_dev **out);
/* The caller's functions, copied. On failure caller->close is not called. */
int bd_dev_open_caller(const struct bdio_device *caller, struct bd_dev **out);

/*
 * A tap on another device: sees each I/O before it goes down and after it came back, may fail
 * it, hold it back, or change its data. Trace, fault and crash devices are taps.
 */
struct bd_tap {
	/* Return 1: pass on; 0: completed with *res, do not pass on; BD_TAP_HOLD: keep it until
	 * bd_tap_release(). */
	int (*before)(struct bd_tap *tap, struct bd_io *io, int *res);
	/* May change io->res and, for reads, the data. */
	void (*after)(struct bd_tap *tap, struct bd_io *io);
	void (*close)(struct bd_tap *tap);
	void *priv;
};
#define BD_TAP_HOLD 2
/* Takes over @lower on success. @tap must outlive the device. */
int bd_dev_open_tap(struct bd_dev *lower, struct bd_tap *tap, struct bd_dev **out);
/* Let every held I/O go on, from any thread; they complete on their own rings, which wake up. */
void bd_dev_tap_release(struct bd_dev *tap_dev);
/* Number of I/Os held back now. */
unsigned int bd_dev_tap_held(struct bd_dev *tap_dev);

#endif
