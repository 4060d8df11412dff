/* SPDX-License-Identifier: MIT */
/* tools/info_json.c - `btrfsdio info --json` */
#include "info_json.h"

#include <limits.h>
#include <string.h>
#include "json.h"
#include "print.h"
#include "report.h"
#include "usage.h"

static void put_uuid(struct json *json, const char *key, const uint8_t uuid[16])
{
	char text[UUID_TEXT_MAX];

	json_text(json, key, uuid_text(uuid, text));
}

static void put_features(struct json *json, const char *key, int set, uint64_t bits)
{
	char text[512];

	bdio_features_text(set, bits, text, sizeof(text));
	json_object(json, key);
	json_u64(json, "bits", bits);
	json_text(json, "names", text);
	json_end(json);
}

static void put_remarks(struct json *json, uint32_t remarks)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{BDIO_SUPER_PRIMARY_BAD, "primary_bad"},
		{BDIO_SUPER_MIRROR_NEWER, "mirror_newer"},
		{BDIO_SUPER_MIRROR_OLDER, "mirror_older"},
		{BDIO_SUPER_MIRROR_FOREIGN, "mirror_foreign"},
		{BDIO_SUPER_MIRROR_BAD, "mirror_bad"},
		{BDIO_SUPER_DEVICE_STALE, "device_stale"},
	};

	json_array(json, "super_remarks");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (remarks & names[i].bit)
			json_text(json, NULL, names[i].name);
	}
	json_end(json);
}

static void put_super(struct json *json, const struct bdio_fs_info *info)
{
	json_bytes(json, "label", info->label, strlen(info->label));
	put_uuid(json, "fsid", info->fsid);
	put_uuid(json, "metadata_uuid", info->metadata_uuid);
	json_u64(json, "generation", info->generation);
	json_text(json, "csum_type", info->csum_name);
	json_u64(json, "csum_size", info->csum_size);
	json_u64(json, "sectorsize", info->sectorsize);
	json_u64(json, "nodesize", info->nodesize);
	json_u64(json, "total_bytes", info->total_bytes);
	json_u64(json, "bytes_used", info->bytes_used);
	put_features(json, "compat", 0, info->compat_flags);
	put_features(json, "compat_ro", 1, info->compat_ro_flags);
	put_features(json, "incompat", 2, info->incompat_flags);
	json_u64(json, "super_flags", info->super_flags);
	json_u64(json, "super_copy", info->super_copy - 1);
	put_remarks(json, info->super_remarks);
	json_bool(json, "log_present", info->log_present);
	json_u64(json, "default_subvol", info->default_subvol);
	json_u64(json, "num_devices", info->num_devices);
	json_u64(json, "missing_devices", info->missing_devices);
	json_bool(json, "io_uring", info->uring);
	json_bool(json, "buffered", info->buffered);
}

static void put_device(struct json *json, const struct bdio_device_info *device)
{
	json_object(json, NULL);
	json_u64(json, "devid", device->devid);
	put_uuid(json, "uuid", device->uuid);
	json_bytes(json, "path", device->path, strlen(device->path));
	json_u64(json, "total_bytes", device->total_bytes);
	json_u64(json, "bytes_used", device->bytes_used);
	json_u64(json, "size", device->size);
	json_u64(json, "generation", device->generation);
	json_bool(json, "missing", device->missing);
	json_bool(json, "seed", device->seed);
	json_bool(json, "stale", device->stale);
	json_bool(json, "buffered", device->buffered);
	json_u64(json, "write_errors", device->write_errors);
	json_u64(json, "read_errors", device->read_errors);
	json_u64(json, "flush_errors", device->flush_errors);
	json_u64(json, "corruption_errors", device->corruption_errors);
	json_u64(json, "generation_errors", device->generation_errors);
	json_end(json);
}

static int put_devices(struct json *json, struct bdio_fs *fs)
{
	struct bdio_device_info device;
	int err = 0;

	json_array(json, "devices");
	for (size_t i = 0; !err && i < bdio_device_count(fs); i++) {
		err = bdio_device_get_info(fs, i, &device);
		if (!err)
			put_device(json, &device);
	}
	json_end(json);
	return err;
}

static int put_usage(struct json *json, struct bdio_fs *fs)
{
	struct usage usage;
	char type[BG_TEXT_MAX];

	int err = usage_collect(fs, &usage);
	json_array(json, "usage");
	for (size_t i = 0; i < usage.count; i++) {
		const struct usage_line *line = &usage.lines[i];
		json_object(json, NULL);
		json_text(json, "type", bg_type_text(line->flags, type));
		json_u64(json, "flags", line->flags);
		json_u64(json, "chunks", line->chunks);
		json_u64(json, "length", line->length);
		json_u64(json, "used", line->used);
		json_u64(json, "raw", line->raw);
		json_end(json);
	}
	json_end(json);
	return err;
}

static void put_chunk(struct json *json, const struct bdio_chunk_info *chunk)
{
	char type[BG_TEXT_MAX];

	json_object(json, NULL);
	json_u64(json, "logical", chunk->logical);
	json_u64(json, "length", chunk->length);
	json_text(json, "type", bg_type_text(chunk->flags, type));
	json_u64(json, "flags", chunk->flags);
	if (chunk->used == UINT64_MAX)
		json_null(json, "used");
	else
		json_u64(json, "used", chunk->used);
	json_u64(json, "num_stripes", chunk->num_stripes);
	json_u64(json, "sub_stripes", chunk->sub_stripes);
	json_u64(json, "data_stripes", chunk->data_stripes);
	json_u64(json, "copies", chunk->copies);
	json_u64(json, "parity", chunk->parity);
	json_u64(json, "missing", chunk->missing);
	json_end(json);
}

static int put_chunks(struct json *json, struct bdio_fs *fs)
{
	struct bdio_chunk_info chunk;
	int err = 0;

	json_array(json, "chunks");
	for (size_t i = 0; !err && i < bdio_chunk_count(fs); i++) {
		err = bdio_chunk_get_info(fs, i, &chunk);
		if (!err)
			put_chunk(json, &chunk);
	}
	json_end(json);
	return err;
}

static void put_subvol(struct json *json, struct bdio_fs *fs, const struct bdio_subvol *subvol)
{
	char path[PATH_MAX];
	ssize_t len = bdio_subvol_path(fs, subvol->id, path, sizeof(path));

	json_object(json, NULL);
	json_u64(json, "id", subvol->id);
	json_u64(json, "parent_id", subvol->parent_id);
	json_bytes(json, "name", subvol->name, strlen(subvol->name));
	if (len >= 0)
		json_bytes(json, "path", path, (size_t)len);
	json_u64(json, "generation", subvol->generation);
	json_bool(json, "read_only", subvol->flags & BDIO_SUBVOL_RDONLY);
	put_uuid(json, "uuid", subvol->uuid);
	put_uuid(json, "parent_uuid", subvol->parent_uuid);
	put_uuid(json, "received_uuid", subvol->received_uuid);
	json_end(json);
}

static int put_subvols(struct json *json, struct bdio_fs *fs)
{
	struct bdio_subvol subvol = {0};
	int got;

	json_array(json, "subvolumes");
	while ((got = bdio_subvol_next(fs, subvol.id, &subvol)) > 0)
		put_subvol(json, fs, &subvol);
	json_end(json);
	return got;
}

int info_json(const struct session *session, FILE *out)
{
	static int (*const parts[])(struct json * json, struct bdio_fs * fs) = {
		put_devices, put_usage, put_subvols, put_chunks};
	struct json json;
	int failed = 0;

	json_start(&json, out);
	put_super(&json, &session->info);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int err = parts[i](&json, session->fs);
		if (err) {
			report_error(NULL, err);
			failed = err;
		}
	}
	json_finish(&json);
	return failed;
}
