/* SPDX-License-Identifier: MIT */
/* tools/cmd_info.c - superblock, devices, chunks, usage, subvolumes, for people */
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include "commands.h"
#include "info_json.h"
#include "print.h"
#include "report.h"
#include "session.h"
#include "usage.h"

static void put_label(const char *what)
{
	printf("%-19s", what);
}

static void put_bytes(const char *what, uint64_t bytes)
{
	char size[SIZE_TEXT_MAX];

	put_label(what);
	printf("%" PRIu64 " (%s)\n", bytes, size_text(bytes, size));
}

static void put_features(const char *what, int set, uint64_t bits)
{
	char text[512];

	bdio_features_text(set, bits, text, sizeof(text));
	put_label(what);
	printf("0x%" PRIx64 " %s\n", bits, text);
}

static void put_super(const struct bdio_fs_info *info)
{
	char uuid[UUID_TEXT_MAX];

	put_label("label:");
	print_escaped(stdout, info->label, strlen(info->label));
	putchar('\n');
	put_label("fsid:");
	puts(uuid_text(info->fsid, uuid));
	if (memcmp(info->fsid, info->metadata_uuid, sizeof(info->fsid)) != 0) {
		put_label("metadata uuid:");
		puts(uuid_text(info->metadata_uuid, uuid));
	}
	put_label("generation:");
	printf("%" PRIu64 "\n", info->generation);
	put_label("checksum:");
	printf("%s\n", info->csum_name);
	put_label("sectorsize:");
	printf("%" PRIu32 "\n", info->sectorsize);
	put_label("nodesize:");
	printf("%" PRIu32 "\n", info->nodesize);
	put_bytes("size:", info->total_bytes);
	put_bytes("used:", info->bytes_used);
	put_features("compat:", 0, info->compat_flags);
	put_features("compat_ro:", 1, info->compat_ro_flags);
	put_features("incompat:", 2, info->incompat_flags);
	put_label("super flags:");
	printf("0x%" PRIx64 "\n", info->super_flags);
	put_label("superblock:");
	printf("copy %" PRIu32 "\n", info->super_copy - 1);
	put_label("log tree:");
	puts(info->log_present ? "present, not applied" : "none");
	put_label("default subvolume:");
	printf("%" PRIu64 "\n", info->default_subvol);
	put_label("access:");
	printf("%s, %s\n", info->uring ? "io_uring" : "blocking calls",
	       info->buffered ? "buffered: direct I/O was refused" : "direct I/O");
}

static void put_device(const struct bdio_device_info *device)
{
	char uuid[UUID_TEXT_MAX], total[SIZE_TEXT_MAX], used[SIZE_TEXT_MAX];

	printf("  %" PRIu64 " %s size %" PRIu64 " (%s) allocated %" PRIu64 " (%s)", device->devid,
	       uuid_text(device->uuid, uuid), device->total_bytes,
	       size_text(device->total_bytes, total), device->bytes_used,
	       size_text(device->bytes_used, used));
	if (device->missing) {
		puts(" missing");
		return;
	}
	printf(" generation %" PRIu64 "%s%s%s ", device->generation, device->seed ? " seed" : "",
	       device->stale ? " stale" : "", device->buffered ? " buffered" : "");
	print_escaped(stdout, device->path, strlen(device->path));
	putchar('\n');
	if (device->write_errors || device->read_errors || device->flush_errors ||
	    device->corruption_errors || device->generation_errors)
		printf("    errors: write %" PRIu64 " read %" PRIu64 " flush %" PRIu64
		       " corruption %" PRIu64 " generation %" PRIu64 "\n",
		       device->write_errors, device->read_errors, device->flush_errors,
		       device->corruption_errors, device->generation_errors);
}

static int put_devices(struct bdio_fs *fs)
{
	size_t count = bdio_device_count(fs);
	struct bdio_device_info device;

	printf("\ndevices: %zu\n", count);
	for (size_t i = 0; i < count; i++) {
		int err = bdio_device_get_info(fs, i, &device);
		if (err)
			return err;
		put_device(&device);
	}
	return 0;
}

static int put_usage(struct bdio_fs *fs)
{
	struct usage usage;
	char type[BG_TEXT_MAX], size[SIZE_TEXT_MAX], used[SIZE_TEXT_MAX], raw[SIZE_TEXT_MAX];

	int err = usage_collect(fs, &usage);
	if (err)
		return err;
	puts("\nusage:");
	for (size_t i = 0; i < usage.count; i++) {
		const struct usage_line *line = &usage.lines[i];
		printf("  %s: size %s, used %s, on devices %s, %" PRIu64 " chunks\n",
		       bg_type_text(line->flags, type), size_text(line->length, size),
		       size_text(line->used, used), size_text(line->raw, raw), line->chunks);
	}
	return 0;
}

static void put_chunk(const struct bdio_chunk_info *chunk)
{
	char type[BG_TEXT_MAX];

	printf("  %" PRIu64 "+%" PRIu64 " %s stripes %" PRIu32 " copies %" PRIu32
	       " parity %" PRIu32,
	       chunk->logical, chunk->length, bg_type_text(chunk->flags, type), chunk->num_stripes,
	       chunk->copies, chunk->parity);
	if (chunk->used != UINT64_MAX)
		printf(" used %" PRIu64, chunk->used);
	if (chunk->missing)
		printf(" missing %" PRIu32, chunk->missing);
	putchar('\n');
}

static int put_chunks(struct bdio_fs *fs)
{
	size_t count = bdio_chunk_count(fs);
	struct bdio_chunk_info chunk;

	printf("\nchunks: %zu\n", count);
	for (size_t i = 0; i < count; i++) {
		int err = bdio_chunk_get_info(fs, i, &chunk);
		if (err)
			return err;
		put_chunk(&chunk);
	}
	return 0;
}

static int put_subvols(struct bdio_fs *fs)
{
	struct bdio_subvol subvol = {0};
	char path[PATH_MAX];
	int got;

	puts("\nsubvolumes:");
	while ((got = bdio_subvol_next(fs, subvol.id, &subvol)) > 0) {
		ssize_t len = bdio_subvol_path(fs, subvol.id, path, sizeof(path));
		printf("  %" PRIu64 " parent %" PRIu64 " generation %" PRIu64 "%s /", subvol.id,
		       subvol.parent_id, subvol.generation,
		       subvol.flags & BDIO_SUBVOL_RDONLY ? " read-only" : "");
		if (len >= 0)
			print_escaped(stdout, path, (size_t)len);
		else
			printf("... (%s)", bdio_error_get()->message);
		putchar('\n');
	}
	return got;
}

static int put_all(const struct session *session)
{
	static int (*const parts[])(struct bdio_fs * fs) = {put_devices, put_usage, put_subvols,
							    put_chunks};
	int failed = 0;

	put_super(&session->info);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int err = parts[i](session->fs);
		if (err) {
			report_error(NULL, err);
			failed = err;
		}
	}
	return failed;
}

static int show_info(const struct session *session, const struct options *options, void *input)
{
	(void)input;
	int err = options->json ? info_json(session, stdout) : put_all(session);
	return err ? EXIT_PROBLEM : EXIT_DONE;
}

int cmd_info(int argc, char **argv)
{
	const struct syntax syntax = {
		.args = "IMAGE",
		.doc = "Prints what the superblock says, the devices, how much is in use, the "
		       "subvolumes and the chunks.",
		.json = true,
	};

	return session_run(&syntax, argc, argv, show_info);
}
