/* SPDX-License-Identifier: MIT */
/* tools/cmd_map.c - where the bytes of a file lie, and their stored checksums */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "json.h"
#include "print.h"
#include "report.h"
#include "session.h"

/* Extents of regular writes are not larger than that, so that their places come in one piece. */
#define PLACE_BATCH (128u << 20)
/* Checksums are fetched so many sectors at a time. */
#define CSUM_BATCH 1024
#define CSUM_MAX   32

enum { OPT_CSUMS = OPT_OWN };

struct map {
	bool csums;
	const struct session *session;
	struct json *json; /* NULL: text */
};

static const char *const extent_types[] = {
	[BDIO_EXTENT_HOLE] = "hole",
	[BDIO_EXTENT_DATA] = "data",
	[BDIO_EXTENT_INLINE] = "inline",
	[BDIO_EXTENT_PREALLOC] = "prealloc",
};

static const char *const compressions[] = {
	[BDIO_COMPRESS_NONE] = "none",
	[BDIO_COMPRESS_ZLIB] = "zlib",
	[BDIO_COMPRESS_LZO] = "lzo",
	[BDIO_COMPRESS_ZSTD] = "zstd",
};

static const char *const place_kinds[] = {
	[BDIO_PLACE_DATA] = "data",
	[BDIO_PLACE_PARITY] = "parity",
	[BDIO_PLACE_Q] = "q",
};

static const struct argp_option map_options[] = {
	{"csums", OPT_CSUMS, 0, 0, "Each sector's stored checksum, not only how many there are", 0},
	{0},
};

static error_t parse_map(int key, char *arg, struct argp_state *state)
{
	struct map *map = state->input;

	(void)arg;
	if (key != OPT_CSUMS)
		return ARGP_ERR_UNKNOWN;
	map->csums = true;
	return 0;
}

/*
 * The bytes on the devices that a reader of this file range needs: of a compressed extent all,
 * else the part that the file refers to.
 */
static void stored_range(const struct bdio_extent *extent, uint64_t *logical, uint64_t *length)
{
	if (extent->compression) {
		*logical = extent->logical;
		*length = extent->disk_length;
	} else {
		*logical = extent->logical + extent->extent_offset;
		*length = extent->length;
	}
}

/* --- places --- */

static void put_place(const struct map *map, const struct bdio_place *place)
{
	if (!map->json) {
		printf("\t%s: devid %" PRIu64 " physical %" PRIu64 " length %" PRIu64
		       " logical %" PRIu64 " copy %" PRIu32 "%s\n",
		       place_kinds[place->kind], place->devid, place->physical, place->length,
		       place->logical, place->copy, place->missing ? " missing" : "");
		return;
	}
	json_object(map->json, NULL);
	json_text(map->json, "kind", place_kinds[place->kind]);
	json_u64(map->json, "devid", place->devid);
	json_u64(map->json, "physical", place->physical);
	json_u64(map->json, "length", place->length);
	json_u64(map->json, "logical", place->logical);
	json_u64(map->json, "copy", place->copy);
	json_bool(map->json, "missing", place->missing);
	json_end(map->json);
}

static int put_place_batch(const struct map *map, uint64_t logical, uint64_t length)
{
	ssize_t count = bdio_logical_map(map->session->fs, logical, length, NULL, 0);

	if (count <= 0)
		return (int)count;
	struct bdio_place *places = calloc((size_t)count, sizeof(*places));
	if (!places)
		return -ENOMEM;
	count = bdio_logical_map(map->session->fs, logical, length, places, (size_t)count);
	for (ssize_t i = 0; i < count; i++)
		put_place(map, &places[i]);
	free(places);
	return count < 0 ? (int)count : 0;
}

static int put_places(const struct map *map, uint64_t logical, uint64_t length)
{
	int err = 0;

	if (map->json)
		json_array(map->json, "places");
	for (uint64_t done = 0; !err && done < length; done += PLACE_BATCH) {
		uint64_t batch = length - done < PLACE_BATCH ? length - done : PLACE_BATCH;
		err = put_place_batch(map, logical + done, batch);
	}
	if (map->json)
		json_end(map->json);
	return err;
}

/* --- checksums --- */

static void put_csum(const struct map *map, uint64_t logical, const uint8_t *csum)
{
	if (map->json) {
		json_object(map->json, NULL);
		json_u64(map->json, "logical", logical);
		json_hex(map->json, "csum", csum, map->session->info.csum_size);
		json_end(map->json);
		return;
	}
	printf("\tcsum: logical %" PRIu64 " ", logical);
	print_hex(stdout, csum, map->session->info.csum_size);
	putchar('\n');
}

static int put_csum_batch(const struct map *map, uint64_t logical, size_t sectors, uint64_t *found)
{
	uint8_t csums[CSUM_BATCH * CSUM_MAX], present[CSUM_BATCH];

	ssize_t count = bdio_csum_get(map->session->fs, logical, sectors, csums, present);
	if (count < 0)
		return (int)count;
	*found += (uint64_t)count;
	for (size_t i = 0; map->csums && i < sectors; i++) {
		if (present[i])
			put_csum(map, logical + i * map->session->info.sectorsize,
				 csums + i * map->session->info.csum_size);
	}
	return 0;
}

static int put_csums(const struct map *map, uint64_t logical, uint64_t length)
{
	uint64_t sectors = length / map->session->info.sectorsize, found = 0;
	int err = 0;

	if (map->json && map->csums)
		json_array(map->json, "csums");
	for (uint64_t done = 0; !err && done < sectors; done += CSUM_BATCH) {
		size_t batch = sectors - done < CSUM_BATCH ? (size_t)(sectors - done) : CSUM_BATCH;
		err = put_csum_batch(map, logical + done * map->session->info.sectorsize, batch,
				     &found);
	}
	if (map->json && map->csums)
		json_end(map->json);
	if (map->json) {
		json_u64(map->json, "sectors", sectors);
		json_u64(map->json, "sectors_with_csum", found);
	} else {
		printf("\tchecksums: %" PRIu64 " of %" PRIu64 " sectors\n", found, sectors);
	}
	return err;
}

/* --- extents --- */

static void put_extent(const struct map *map, const struct bdio_extent *extent)
{
	if (!map->json) {
		printf("%" PRIu64 "+%" PRIu64 " %s", extent->file_offset, extent->length,
		       extent_types[extent->type]);
		if (extent->type == BDIO_EXTENT_HOLE) {
			putchar('\n');
			return;
		}
		printf(" logical %" PRIu64 " stored %" PRIu64 " offset %" PRIu64 " ram %" PRIu64
		       " compression %s generation %" PRIu64 "%s\n",
		       extent->logical, extent->disk_length, extent->extent_offset,
		       extent->ram_bytes, compressions[extent->compression], extent->generation,
		       extent->flags & BDIO_EXTENT_NO_CSUM ? " nodatasum" : "");
		return;
	}
	json_u64(map->json, "file_offset", extent->file_offset);
	json_u64(map->json, "length", extent->length);
	json_text(map->json, "type", extent_types[extent->type]);
	if (extent->type == BDIO_EXTENT_HOLE)
		return;
	json_u64(map->json, "logical", extent->logical);
	json_u64(map->json, "disk_length", extent->disk_length);
	json_u64(map->json, "extent_offset", extent->extent_offset);
	json_u64(map->json, "ram_bytes", extent->ram_bytes);
	json_text(map->json, "compression", compressions[extent->compression]);
	json_u64(map->json, "generation", extent->generation);
	json_bool(map->json, "nodatasum", extent->flags & BDIO_EXTENT_NO_CSUM);
}

static int map_extent(const struct map *map, const struct bdio_extent *extent)
{
	int err = 0;

	if (map->json)
		json_object(map->json, NULL);
	put_extent(map, extent);
	if (extent->type == BDIO_EXTENT_DATA || extent->type == BDIO_EXTENT_PREALLOC) {
		uint64_t logical, length;
		stored_range(extent, &logical, &length);
		err = put_places(map, logical, length);
		if (!err && extent->type == BDIO_EXTENT_DATA)
			err = put_csums(map, logical, length);
	}
	if (map->json)
		json_end(map->json);
	return err;
}

static int map_file(const struct map *map, struct bdio_file *file)
{
	struct bdio_extent_iter *iter;
	struct bdio_extent extent;

	int err = bdio_extent_iter_open(file, 0, &iter);
	if (err)
		return err;
	while (!ferror(stdout) && (err = bdio_extent_iter_next(iter, &extent)) > 0) {
		err = map_extent(map, &extent);
		if (err)
			break;
	}
	bdio_extent_iter_close(iter);
	return err;
}

static int map_path(const struct map *map, const char *path)
{
	struct bdio_ino ino;
	struct bdio_file *file;

	int err = session_lookup(map->session, path, BDIO_LOOKUP_FOLLOW, &ino);
	if (err)
		return err;
	err = bdio_file_open(map->session->fs, ino, &file);
	if (err) {
		report_error(path, err);
		return err;
	}
	if (map->json) {
		json_object(map->json, NULL);
		json_bytes(map->json, "path", path, strlen(path));
		json_u64(map->json, "size", bdio_file_size(file));
		json_array(map->json, "extents");
	} else {
		print_escaped(stdout, path, strlen(path));
		printf(": %" PRIu64 " bytes\n", bdio_file_size(file));
	}
	err = map_file(map, file);
	if (err < 0)
		report_error(path, err);
	if (map->json) {
		json_end(map->json);
		json_end(map->json);
	}
	bdio_file_close(file);
	return err;
}

static int map_paths(const struct session *session, const struct options *options, void *input)
{
	struct map *map = input;
	struct json json;
	int status = EXIT_DONE;

	map->session = session;
	if (options->json) {
		map->json = &json;
		json_start(&json, stdout);
		json_array(&json, "files");
	}
	for (size_t i = 0; i < options->num_args && !ferror(stdout); i++) {
		if (map_path(map, options->args[i]))
			status = EXIT_PROBLEM;
	}
	if (map->json)
		json_finish(map->json);
	return status;
}

int cmd_map(int argc, char **argv)
{
	struct map map = {0};
	const struct syntax syntax = {
		.args = "IMAGE PATH...",
		.doc = "Prints the extents of files, each with all its places on the devices and "
		       "its checksums.",
		.min_args = 1,
		.max_args = UINT_MAX,
		.json = true,
		.options = map_options,
		.parse = parse_map,
		.input = &map,
	};

	return session_run(&syntax, argc, argv, map_paths);
}
