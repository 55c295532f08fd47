/* SPDX-License-Identifier: MIT */
/*
 * `cushim info --json`. docs/cushim-info.schema.json describes the output. A new key must be added
 * there, too. If a key changes its meaning, schema_version must change.
 */
#include <stdlib.h>
#include <string.h>

#include "info.h"
#include "json_writer.h"
#include "missing.h"
#include "util.h"

enum { SCHEMA_VERSION = 1 };

static const char *null_if_empty(const char *text)
{
    return *text ? text : NULL;
}

static void write_version(struct json *json, const char *key, int version)
{
    char *text = version ? format("%d.%d", version / 1000, version % 1000 / 10) : NULL;
    json_string(json, key, text);
    free(text);
}

static const char *origin_word(enum cushim_origin origin)
{
    switch (origin) {
    case CUSHIM_ORIGIN_PARAMETER:
        return "parameter";
    case CUSHIM_ORIGIN_ENVIRONMENT:
        return "environment";
    case CUSHIM_ORIGIN_PROCESS:
        return "process";
    case CUSHIM_ORIGIN_LINKER:
        return "linker";
    case CUSHIM_ORIGIN_PLACE:
        return "place";
    case CUSHIM_ORIGIN_RESOLVER:
        return "resolver";
    }
    return "unknown";
}

/*
 * Writes the name of a verdict: CUSHIM_VERDICT_NOT_A_FILE becomes "not_a_file". These names never
 * change, while the texts for users may.
 */
static void write_verdict(struct json *json, enum cushim_verdict verdict)
{
    const char *name = "CUSHIM_VERDICT_UNKNOWN";
    switch (verdict) {
#define VERDICT_CASE(enumerator, value, word)                                                      \
    case enumerator:                                                                               \
        name = #enumerator;                                                                        \
        break;
        CUSHIM_VERDICT_MAP(VERDICT_CASE)
#undef VERDICT_CASE
    }

    char word[64] = "";
    name += strlen("CUSHIM_VERDICT_");
    for (size_t i = 0; name[i] && i < sizeof(word) - 1; i++)
        word[i] = (char) (name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
    json_string(json, "verdict", word);
}

static void write_candidate(struct json *json, const struct cushim_candidate *candidate)
{
    json_begin_object(json, NULL);
    json_string(json, "name", candidate->name);
    json_string(json, "path", null_if_empty(candidate->path));
    json_string(json, "origin", origin_word(candidate->origin));
    write_verdict(json, candidate->verdict);
    json_string(json, "detail", null_if_empty(candidate->detail));
    write_version(json, "cuda_version", candidate->version);
    json_unsigned(json, "functions_found", candidate->found);
    json_end_object(json);
}

static void write_candidates(struct json *json, const struct cushim_report *report)
{
    json_begin_array(json, "candidates");
    for (size_t i = 0; i < report->n_candidates; i++)
        write_candidate(json, report->candidates[i]);
    json_end_array(json);
}

static void write_missing(struct json *json, const struct cushim_report *report)
{
    json_begin_array(json, "functions_missing");
    for (size_t i = 0; report->chosen && i < report->n_missing; i++) {
        const struct cushim_missing *missing = &report->missing[i];
        json_begin_object(json, NULL);
        json_string(json, "symbol", missing->symbol);
        write_version(json, "since_cuda_version", missing->since);
        write_version(json, "until_cuda_version", missing->until);
        json_string(json, "reason", missing_reason_word(missing_reason_of(report, missing)));
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_times(struct json *json, const struct cushim_report *report)
{
    json_begin_object(json, "times");
    json_unsigned(json, "load_ns", report->load_ns);
    json_unsigned(json, "resolve_ns", report->resolve_ns);
    json_unsigned(json, "init_ns", report->init_ns);
    json_unsigned(json, "total_ns", report->total_ns);
    json_end_object(json);
}

static void write_setting(struct json *json, const struct info_library *library)
{
    json_begin_object(json, "setting");
    json_string(json, "option", library->words);
    json_string(json, "variable", library->variable);
    json_string(json, "variable_value", library->setting);
    json_end_object(json);
}

/* Writes the keys that the libraries have in common. */
static void write_library(struct json *json, const struct info_library *library)
{
    const struct cushim_report *report = library->report;
    json_number(json, "status", report->status);
    json_string(json, "status_name", cushim_status_name(report->status));
    json_string(json, "text", null_if_empty(report->text));
    json_string(json, "path", report->chosen ? null_if_empty(report->chosen->path) : NULL);
    json_string(json, "file", library->file);
    write_version(json, "cuda_version", report->version);
    json_unsigned(json, "functions_known", report->rows);
    json_unsigned(json, "functions_found", report->found);
    write_missing(json, report);
    write_setting(json, library);
    write_candidates(json, report);
    write_times(json, report);
}

static void write_driver(struct json *json, const struct info *info)
{
    json_begin_object(json, "driver");
    json_string(json, "release", null_if_empty(info->driver_release));
    write_library(json, &info->driver);
    json_end_object(json);
}

static void write_tool(struct json *json, const char *key, const struct info_library *library)
{
    json_begin_object(json, key);
    write_library(json, library);
    json_end_object(json);
}

static void write_count(struct json *json, const char *key, bool known, uint64_t count)
{
    if (known)
        json_unsigned(json, key, count);
    else
        json_null(json, key);
}

/* Numbers are not known if no folder is named, or if it cannot be used. */
static void write_cache(struct json *json, const struct info_cache *cache)
{
    const struct cushim_cache_state *state = &cache->state;
    const bool known = state->limit != 0;

    json_begin_object(json, "cache");
    json_string(json, "folder", cache->folder);
    json_string(json, "bytes_setting", cache->bytes);
    json_number(json, "status", cache->status);
    json_string(json, "status_name", cushim_status_name(cache->status));
    json_string(json, "text", cache->text);
    write_count(json, "images", known, state->images);
    write_count(json, "bytes", known, state->bytes);
    write_count(json, "limit_bytes", known, state->limit);
    if (known)
        json_bool(json, "writable", !state->unwritable);
    else
        json_null(json, "writable");
    json_string(json, "unwritable_reason", state->unwritable);
    json_end_object(json);
}

static const char *compute_mode_word(struct maybe mode)
{
    static const char *const words[N_COMPUTE_MODES] = {
        [COMPUTE_MODE_DEFAULT] = "default",
        [COMPUTE_MODE_EXCLUSIVE] = "exclusive",
        [COMPUTE_MODE_PROHIBITED] = "prohibited",
        [COMPUTE_MODE_EXCLUSIVE_PROCESS] = "exclusive_process",
    };
    return mode.known && mode.value < N_COMPUTE_MODES ? words[mode.value] : NULL;
}

static void write_attributes(struct json *json, const struct device *device)
{
    static const struct {
        const char *key;
        enum attribute_kind kind;
    } fields[N_ATTRIBUTES] = {
#define ATTRIBUTE_FIELD(name, number, kind, key) [ATTRIBUTE_##name] = {key, ATTRIBUTE_##kind},
        ATTRIBUTE_MAP(ATTRIBUTE_FIELD)
#undef ATTRIBUTE_FIELD
    };
    for (int i = 0; i < N_ATTRIBUTES; i++) {
        const struct maybe value = device->attributes[i];
        if (!fields[i].key)
            continue;
        if (!value.known)
            json_null(json, fields[i].key);
        else if (fields[i].kind == ATTRIBUTE_FLAG)
            json_bool(json, fields[i].key, value.value != 0);
        else
            json_unsigned(json, fields[i].key, value.value);
    }
}

static void write_peers(struct json *json, const struct device *device, size_t self, size_t n)
{
    json_begin_array(json, "peers");
    for (size_t i = 0; i < n; i++) {
        if (i == self)
            continue;
        json_begin_object(json, NULL);
        json_unsigned(json, "index", i);
        if (device->peers[i].known)
            json_bool(json, "access", device->peers[i].value != 0);
        else
            json_null(json, "access");
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_device(struct json *json, const struct devices *devices, size_t index)
{
    const struct device *device = &devices->list[index];
    json_begin_object(json, NULL);
    json_unsigned(json, "index", index);
    json_string(json, "name", null_if_empty(device->name));
    json_string(json, "uuid", null_if_empty(device->uuid));
    if (device->memory_bytes.known)
        json_unsigned(json, "memory_bytes", device->memory_bytes.value);
    else
        json_null(json, "memory_bytes");
    write_attributes(json, device);
    json_string(json, "compute_mode",
                compute_mode_word(device->attributes[ATTRIBUTE_COMPUTE_MODE]));
    write_peers(json, device, index, devices->n);
    json_end_object(json);
}

static void write_devices(struct json *json, const struct devices *devices)
{
    if (!devices->asked || devices->result != 0) {
        json_null(json, "devices");
        return;
    }
    json_begin_array(json, "devices");
    for (size_t i = 0; i < devices->n; i++)
        write_device(json, devices, i);
    json_end_array(json);
}

static void write_machine(struct json *json, const struct machine *machine)
{
    json_begin_object(json, "machine");
    json_string(json, "kernel_module_release", null_if_empty(machine->kernel_release));
    json_bool(json, "has_nvidiactl", machine->has_nvidiactl);
    json_bool(json, "has_nvidia_uvm", machine->has_nvidia_uvm);
    json_bool(json, "has_dxg", machine->has_dxg);
    json_bool(json, "in_container", machine->in_container);
    json_string(json, "cuda_visible_devices", machine->visible_devices);
    json_string(json, "ld_library_path", machine->library_path);
    json_end_object(json);
}

void info_print_json(const struct info *info, FILE *out)
{
    struct json json = {.out = out};
    char *version =
        format("%d.%d.%d", CUSHIM_VERSION_MAJOR, CUSHIM_VERSION_MINOR, CUSHIM_VERSION_PATCH);
    json_begin_object(&json, NULL);
    json_number(&json, "schema_version", SCHEMA_VERSION);
    json_string(&json, "cushim_version", version);
    json_bool(&json, "usable", !info->advice.problem);
    json_string(&json, "problem", info->advice.problem);
    json_string(&json, "advice", info->advice.text);
    write_driver(&json, info);
    write_tool(&json, "nvrtc", &info->nvrtc);
    write_tool(&json, "nvjitlink", &info->nvjitlink);
    write_cache(&json, &info->cache);
    write_devices(&json, &info->devices);
    json_string(&json, "kernels", info->kernels);
    write_machine(&json, &info->machine);
    json_end_object(&json);
    free(version);
}
