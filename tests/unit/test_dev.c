/* SPDX-License-Identifier: MIT */
/* tests/unit/test_dev.c - devices: files, memory, the caller's functions, the checked door */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include "base/err.h"
#include "scratch.h"

#define MIB (1u << 20)

/* One I/O on a blocking ring; its result. */
static int run_io(struct counted_io *c)
{
	const struct bd_ring_opts opts = {.kind = BD_RING_BLOCKING, .depth = 1};
	struct bd_ring *ring;
	CU_ASSERT_EQUAL_FATAL(bd_ring_new(&opts, &ring), 0);
	bd_dev_submit(ring, &c->io);
	CU_ASSERT_EQUAL(bd_ring_drive(ring, true, 0), 1);
	CU_ASSERT_EQUAL(c->calls, 1);
	bd_ring_free(ring);
	return c->io.res;
}

static int run(struct bd_dev *dev, enum bd_io_op op, void *buf, uint32_t len, uint64_t offset)
{
	struct counted_io c;
	counted_prep(&c, dev, op, buf, len, offset);
	return run_io(&c);
}

static int open_path(const char *path, struct bd_dev_open args, struct bd_dev **dev)
{
	*dev = NULL;
	return bd_dev_open_path(path, &args, dev);
}

static void memory_reads_what_was_written(void)
{
	struct bd_dev *dev;
	uint8_t in[100], out[100], zero[100] = {0};

	CU_ASSERT_EQUAL_FATAL(bd_dev_open_mem("ram", 1000, &dev), 0);
	CU_ASSERT_EQUAL(dev->size, 1000);
	pattern_fill(in, sizeof(in), 0);
	CU_ASSERT_EQUAL(run(dev, BD_IO_WRITE, in, 100, 900), 0);
	CU_ASSERT_EQUAL(run(dev, BD_IO_FLUSH, NULL, 0, 0), 0);
	CU_ASSERT_EQUAL(bd_dev_read(dev, out, 100, 900), 0);
	CU_ASSERT_EQUAL(memcmp(in, out, 100), 0);
	CU_ASSERT_EQUAL(bd_dev_read(dev, out, 100, 800), 0);
	CU_ASSERT_EQUAL(memcmp(zero, out, 100), 0);
	CU_ASSERT_EQUAL(dev->writes, 1);
	CU_ASSERT_EQUAL(dev->write_bytes, 100);
	CU_ASSERT_EQUAL(dev->reads, 2);
	CU_ASSERT_EQUAL(dev->read_bytes, 200);
	CU_ASSERT_EQUAL(dev->flushes, 1);
	bd_dev_close(dev);
	bd_dev_close(NULL);
}

static void ranges_beyond_the_end_fail(void)
{
	struct bd_dev *dev;
	uint8_t buf[100];

	CU_ASSERT_EQUAL_FATAL(bd_dev_open_mem("ram", 1000, &dev), 0);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 100, 900), 0);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 100, 901), -EIO);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 100, 1000), -EIO);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 100, UINT64_MAX - 50), -EIO);
	CU_ASSERT_EQUAL(run(dev, BD_IO_WRITE, buf, 1, 1000), -EIO);
	CU_ASSERT_EQUAL(dev->in_flight, 0);
	bd_dev_close(dev);
}

static void read_only_devices_refuse_writes(void)
{
	struct bd_dev *dev;
	uint8_t mem[64] = {1, 2, 3}, buf[64] = {0};

	CU_ASSERT_EQUAL_FATAL(bd_dev_wrap_mem("mine", mem, sizeof(mem), false, &dev), 0);
	CU_ASSERT_EQUAL(run(dev, BD_IO_WRITE, buf, 64, 0), -EROFS);
	CU_ASSERT_EQUAL(run(dev, BD_IO_FLUSH, NULL, 0, 0), -EROFS);
	CU_ASSERT_EQUAL(mem[1], 2);
	mem[1] = 99;
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 64, 0), 0);
	CU_ASSERT_EQUAL(buf[1], 99);
	bd_dev_close(dev);
	CU_ASSERT_EQUAL(mem[1], 99);
}

static void vectors_are_gathered(void)
{
	struct bd_dev *dev;
	uint8_t a[10], b[1], c[50], all[61];
	struct iovec iov[] = {{a, sizeof(a)}, {b, sizeof(b)}, {c, sizeof(c)}};
	struct counted_io io;

	CU_ASSERT_EQUAL_FATAL(bd_dev_open_mem("ram", 100, &dev), 0);
	pattern_fill(all, sizeof(all), 7);
	CU_ASSERT_EQUAL(run(dev, BD_IO_WRITE, all, sizeof(all), 7), 0);
	counted_prep(&io, dev, BD_IO_READ, NULL, 61, 7);
	io.io.iov = iov;
	io.io.iovcnt = 3;
	CU_ASSERT_EQUAL(run_io(&io), 0);
	CU_ASSERT_EQUAL(pattern_differs(a, 10, 7), 0);
	CU_ASSERT_EQUAL(pattern_differs(b, 1, 17), 0);
	CU_ASSERT_EQUAL(pattern_differs(c, 50, 18), 0);

	pattern_fill(a, sizeof(a), 1000);
	counted_prep(&io, dev, BD_IO_WRITE, NULL, 61, 20);
	io.io.iov = iov;
	io.io.iovcnt = 3;
	CU_ASSERT_EQUAL(run_io(&io), 0);
	CU_ASSERT_EQUAL(bd_dev_read(dev, all, 61, 20), 0);
	CU_ASSERT_EQUAL(pattern_differs(all, 10, 1000), 0);
	CU_ASSERT_EQUAL(pattern_differs(all + 10, 51, 17), 0);
	bd_dev_close(dev);
}

static void files_are_read_directly(void)
{
	const char *path = scratch_file(MIB);
	struct bd_dev *dev;
	uint8_t *buf = scratch_buf(8192);

	CU_ASSERT_EQUAL_FATAL(open_path(path, (struct bd_dev_open){0}, &dev), 0);
	CU_ASSERT_EQUAL(dev->size, MIB);
	CU_ASSERT_FALSE(dev->is_block);
	CU_ASSERT_FALSE(dev->writable);
	CU_ASSERT(dev->max_io >= 4096 && dev->max_io <= 256 << 10 && dev->max_io % 4096 == 0);
	/* Whether the descriptor says so is the witness, where the file system can at all. */
	CU_ASSERT_EQUAL(dev->buffered, !(fcntl(dev->fd, F_GETFL) & O_DIRECT));
	CU_ASSERT_EQUAL(dev->io_align == 1, dev->buffered);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 8192, 12288), 0);
	CU_ASSERT_EQUAL(pattern_differs(buf, 8192, 12288), 0);
	CU_ASSERT_EQUAL(run(dev, BD_IO_WRITE, buf, 4096, 0), -EROFS);
	bd_dev_close(dev);
	free(buf);
	unlink(path);
}

static void an_offset_moves_the_start(void)
{
	const char *path = scratch_file(MIB);
	struct bd_dev *dev;
	uint8_t *buf = scratch_buf(4096);

	CU_ASSERT_EQUAL_FATAL(open_path(path, (struct bd_dev_open){.offset = 65536}, &dev), 0);
	CU_ASSERT_EQUAL(dev->size, MIB - 65536);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 4096, 4096), 0);
	CU_ASSERT_EQUAL(pattern_differs(buf, 4096, 65536 + 4096), 0);
	bd_dev_close(dev);

	/* one that direct I/O cannot do */
	CU_ASSERT_EQUAL_FATAL(open_path(path, (struct bd_dev_open){.offset = 777}, &dev), 0);
	CU_ASSERT_TRUE(dev->buffered);
	CU_ASSERT_EQUAL(fcntl(dev->fd, F_GETFL) & O_DIRECT, 0);
	CU_ASSERT_EQUAL(dev->io_align, 1);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 4096, 1), 0);
	CU_ASSERT_EQUAL(pattern_differs(buf, 4096, 778), 0);
	bd_dev_close(dev);

	CU_ASSERT_EQUAL(open_path(path, (struct bd_dev_open){.offset = MIB + 1}, &dev), -EINVAL);
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, "DEV_OFFSET");
	CU_ASSERT_PTR_NULL(dev);
	free(buf);
	unlink(path);
}

static void a_writable_file_is_locked(void)
{
	const char *path = scratch_file(MIB);
	struct bd_dev *dev, *second;
	uint8_t *buf = scratch_buf(4096);

	CU_ASSERT_EQUAL_FATAL(open_path(path, (struct bd_dev_open){.writable = true}, &dev), 0);
	CU_ASSERT_EQUAL(open_path(path, (struct bd_dev_open){.writable = true}, &second), -EBUSY);
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, "DEV_LOCK");
	pattern_fill(buf, 4096, 99);
	CU_ASSERT_EQUAL(run(dev, BD_IO_WRITE, buf, 4096, 8192), 0);
	CU_ASSERT_EQUAL(run(dev, BD_IO_FLUSH, NULL, 0, 0), 0);
	memset(buf, 0, 4096);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 4096, 8192), 0);
	CU_ASSERT_EQUAL(pattern_differs(buf, 4096, 99), 0);
	bd_dev_close(dev);
	CU_ASSERT_EQUAL(open_path(path, (struct bd_dev_open){.writable = true}, &dev), 0);
	bd_dev_close(dev);
	free(buf);
	unlink(path);
}

static void other_things_are_refused(void)
{
	char fifo[64];
	struct bd_dev *dev;

	CU_ASSERT_EQUAL(open_path("/nonexistent/x", (struct bd_dev_open){0}, &dev), -ENOENT);
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->message,
			       "cannot open /nonexistent/x: No such file or directory");
	CU_ASSERT_EQUAL(open_path("/tmp", (struct bd_dev_open){0}, &dev), -EINVAL);
	CU_ASSERT_EQUAL(open_path("/dev/null", (struct bd_dev_open){0}, &dev), -EINVAL);
	snprintf(fifo, sizeof(fifo), "/tmp/bdio-fifo-%d", getpid());
	CU_ASSERT_EQUAL_FATAL(mkfifo(fifo, 0600), 0);
	CU_ASSERT_EQUAL(open_path(fifo, (struct bd_dev_open){0}, &dev), -EINVAL);
	unlink(fifo);
}

static void a_file_cut_while_open_gives_an_error(void)
{
	const char *path = scratch_file(MIB);
	struct bd_dev *dev;
	uint8_t *buf = scratch_buf(65536);

	CU_ASSERT_EQUAL_FATAL(open_path(path, (struct bd_dev_open){0}, &dev), 0);
	CU_ASSERT_EQUAL_FATAL(truncate(path, 4096 * 10 + 100), 0);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 65536, 0), -EIO);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 4096, 4096 * 10), -EIO);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 4096, MIB - 4096), -EIO);
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 4096, 4096 * 9), 0);
	CU_ASSERT_EQUAL(pattern_differs(buf, 4096, 4096 * 9), 0);
	bd_dev_close(dev);
	free(buf);
	unlink(path);
}

static struct {
	uint8_t bytes[8192];
	int result, reads, writes, flushes, closes;
} backing;

static int backing_read(void *priv, void *buf, size_t len, uint64_t offset)
{
	backing.reads++;
	CU_ASSERT_PTR_EQUAL(priv, &backing);
	memcpy(buf, backing.bytes + offset, len);
	return backing.result;
}

static int backing_write(void *priv, const void *buf, size_t len, uint64_t offset)
{
	(void)priv;
	backing.writes++;
	memcpy(backing.bytes + offset, buf, len);
	return backing.result;
}

static int backing_flush(void *priv)
{
	(void)priv;
	backing.flushes++;
	return backing.result;
}

static int backing_size(void *priv, uint64_t *out)
{
	(void)priv;
	*out = sizeof(backing.bytes);
	return backing.result;
}

static void backing_close(void *priv)
{
	(void)priv;
	backing.closes++;
}

static struct bdio_device backing_device(void)
{
	memset(&backing, 0, sizeof(backing));
	pattern_fill(backing.bytes, sizeof(backing.bytes), 0);
	return (struct bdio_device){.size = sizeof(struct bdio_device),
				    .priv = &backing,
				    .read = backing_read,
				    .write = backing_write,
				    .flush = backing_flush,
				    .size_bytes = backing_size,
				    .close = backing_close};
}

static void the_callers_functions_are_called(void)
{
	struct bdio_device caller = backing_device();
	struct bd_dev *dev;
	uint8_t *buf = scratch_buf(4096);

	CU_ASSERT_EQUAL_FATAL(bd_dev_open_caller(&caller, &dev), 0);
	CU_ASSERT_EQUAL(dev->size, 8192);
	CU_ASSERT_STRING_EQUAL(dev->name, "caller's device");
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 1024, 512), 0);
	CU_ASSERT_EQUAL(pattern_differs(buf, 1024, 512), 0);
	CU_ASSERT_EQUAL(run(dev, BD_IO_WRITE, buf, 512, 4096), 0);
	CU_ASSERT_EQUAL(pattern_differs(backing.bytes + 4096, 512, 512), 0);
	CU_ASSERT_EQUAL(run(dev, BD_IO_FLUSH, NULL, 0, 0), 0);
	CU_ASSERT(backing.reads == 1 && backing.writes == 1 && backing.flushes == 1);
	backing.result = -ETIMEDOUT;
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 512, 0), -ETIMEDOUT);
	backing.result = 512;
	CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 512, 0), -EIO);
	CU_ASSERT_EQUAL(backing.closes, 0);
	bd_dev_close(dev);
	CU_ASSERT_EQUAL(backing.closes, 1);
	free(buf);
}

static void a_wrong_caller_struct_is_refused(void)
{
	struct bdio_device caller = backing_device();
	struct bd_dev *dev;

	caller.size--;
	CU_ASSERT_EQUAL(bd_dev_open_caller(&caller, &dev), -EINVAL);
	caller = backing_device();
	caller.reserved[3] = 1;
	CU_ASSERT_EQUAL(bd_dev_open_caller(&caller, &dev), -EINVAL);
	caller = backing_device();
	caller.read = NULL;
	CU_ASSERT_EQUAL(bd_dev_open_caller(&caller, &dev), -EINVAL);
	caller = backing_device();
	caller.flush = NULL;
	CU_ASSERT_EQUAL(bd_dev_open_caller(&caller, &dev), -EINVAL);
	caller = backing_device();
	backing.result = -EACCES;
	CU_ASSERT_EQUAL(bd_dev_open_caller(&caller, &dev), -EACCES);
	CU_ASSERT_EQUAL(backing.closes, 0);

	caller = backing_device();
	caller.write = NULL;
	caller.flush = NULL;
	CU_ASSERT_EQUAL_FATAL(bd_dev_open_caller(&caller, &dev), 0);
	CU_ASSERT_FALSE(dev->writable);
	bd_dev_close(dev);
}

static const struct unit_test tests[] = {
	UNIT_TEST(memory_reads_what_was_written),
	UNIT_TEST(ranges_beyond_the_end_fail),
	UNIT_TEST(read_only_devices_refuse_writes),
	UNIT_TEST(vectors_are_gathered),
	UNIT_TEST(files_are_read_directly),
	UNIT_TEST(an_offset_moves_the_start),
	UNIT_TEST(a_writable_file_is_locked),
	UNIT_TEST(other_things_are_refused),
	UNIT_TEST(a_file_cut_while_open_gives_an_error),
	UNIT_TEST(the_callers_functions_are_called),
	UNIT_TEST(a_wrong_caller_struct_is_refused),
};

UNIT_MAIN("dev", tests)
