/* SPDX-License-Identifier: MIT */
/* `cushim info` as text. The label of each section is in the first nine characters of a line. */
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "info.h"
#include "missing.h"
#include "util.h"

static const char blank[] = "         ";

static int major(int version)
{
    return version / 1000;
}

static int minor(int version)
{
    return version % 1000 / 10;
}

static void print_line(FILE *out, const char *label, const char *text)
{
    char *clean = printable(text);
    fprintf(out, "%s%s\n", label, clean);
    free(clean);
}

/*
 * Tells whether the library belongs to the driver. Only then the kernel module's release is of
 * interest.
 */
static bool is_of_driver(const struct info *info)
{
    const char *slash = info->driver.file ? strrchr(info->driver.file, '/') : NULL;
    return slash && strncmp(slash + 1, "libcuda.so", strlen("libcuda.so")) == 0;
}

/*
 * Returns " (driver 550.54.15)", with both releases if the library's and the kernel module's
 * differ, or "".
 */
static char *release_text(const struct info *info)
{
    const char *file = info->driver_release;
    const char *kernel = is_of_driver(info) ? info->machine.kernel_release : "";
    if (*file && *kernel && strcmp(file, kernel) != 0)
        return format(" (driver %s, kernel module %s)", file, kernel);
    if (!*file && !*kernel)
        return format("%s", "");
    return format(" (driver %s)", *file ? file : kernel);
}

static void print_found_driver(const struct info *info, FILE *out)
{
    const struct cushim_report *report = info->driver.report;
    struct columns columns = {0};
    char *release = release_text(info);
    columns_add(&columns, "%s",
                *report->chosen->path ? report->chosen->path : report->chosen->name);
    columns_add(&columns, "CUDA %d.%d%s", major(report->version), minor(report->version), release);
    columns_add(&columns, "%zu of %zu functions", report->found, report->rows);
    columns_end_row(&columns);
    columns_print(&columns, out, "driver   ");
    free(release);
}

static void add_candidate(struct columns *columns, const struct cushim_candidate *candidate)
{
    const bool led_elsewhere = *candidate->path && strcmp(candidate->path, candidate->name) != 0;
    columns_add(columns, "%s%s%s", candidate->name, led_elsewhere ? " -> " : "",
                led_elsewhere ? candidate->path : "");
    columns_add(columns, "%s", cushim_origin_word(candidate->origin));
    columns_add(columns, "%s%s%s", cushim_verdict_word(candidate->verdict),
                *candidate->detail ? ": " : "", candidate->detail);
    columns_end_row(columns);
}

/* Adds what decides which library is opened: the option, or else the variable. */
static void add_setting(struct columns *columns, const struct info_library *library)
{
    if (library->words)
        columns_add(columns, "%s %s, whatever %s says", library->option, library->words,
                    library->variable);
    else if (library->setting)
        columns_add(columns, "%s is '%s'", library->variable, library->setting);
    else
        columns_add(columns, "%s not set", library->variable);
    columns_end_row(columns);
}

static void print_tried(const struct info_library *library, FILE *out)
{
    const struct cushim_report *report = library->report;
    struct columns setting = {0}, others = {0};
    add_setting(&setting, library);
    columns_print(&setting, out, report->chosen ? "         also tried: " : "         tried: ");

    for (size_t i = 0; i < report->n_candidates; i++)
        if (report->candidates[i] != report->chosen)
            add_candidate(&others, report->candidates[i]);
    columns_print(&others, out, report->chosen ? "                     " : "                ");
}

static void print_driver(const struct info *info, FILE *out)
{
    const struct cushim_report *report = info->driver.report;
    if (report->chosen)
        print_found_driver(info, out);
    else
        print_line(out, "driver   ", "none");
    print_tried(&info->driver, out);
    if (report->status != CUSHIM_OK && report->chosen) {
        char *text = format("cannot be used: %d %s, %s", report->status,
                            cushim_status_name(report->status), cushim_status_text(report->status));
        print_line(out, blank, text);
        free(text);
    }
}

static void print_found_tool(const struct cushim_report *report, const char *label, FILE *out)
{
    struct columns columns = {0};
    columns_add(&columns, "%d.%d", major(report->version), minor(report->version));
    columns_add(&columns, "%s",
                *report->chosen->path ? report->chosen->path : report->chosen->name);
    if (report->n_missing)
        columns_add(&columns, "%zu of %zu functions", report->found, report->rows);
    columns_end_row(&columns);
    columns_print(&columns, out, label);
}

static bool is_absent(const struct cushim_candidate *candidate)
{
    return candidate->verdict == CUSHIM_VERDICT_ABSENT ||
           candidate->verdict == CUSHIM_VERDICT_REPEATED;
}

/*
 * The compiler and the linker are searched for in many places. So only files that exist and were
 * rejected are named.
 */
static void print_no_tool(const struct info_library *library, const char *label, FILE *out)
{
    const struct cushim_report *report = library->report;
    struct columns rejected = {0};
    size_t absent = 0;
    for (size_t i = 0; i < report->n_candidates; i++) {
        if (is_absent(report->candidates[i]))
            absent++;
        else
            add_candidate(&rejected, report->candidates[i]);
    }
    fprintf(out, "%snone; absent from %zu place%s\n", label, absent, absent == 1 ? "" : "s");
    columns_print(&rejected, out, blank);
}

static void print_tool(const struct info_library *library, const char *label, FILE *out)
{
    if (library->report->chosen)
        print_found_tool(library->report, label, out);
    else
        print_no_tool(library, label, out);
}

static void add_used(struct columns *columns, const struct cushim_cache_state *state)
{
    const double mib = 1 << 20;

    columns_add(columns, "%llu image%s", (unsigned long long) state->images,
                state->images == 1 ? "" : "s");
    columns_add(columns, "%.1f of %.1f MiB", (double) state->bytes / mib,
                (double) state->limit / mib);
}

static void print_cache(const struct info_cache *cache, FILE *out)
{
    struct columns columns = {0};

    if (!cache->folder) {
        print_line(out, "cache    ", "none; CUSHIM_CACHE not set");
        return;
    }
    columns_add(&columns, "%s", cache->folder);
    if (!cache->status)
        add_used(&columns, &cache->state);
    if (cache->state.unwritable)
        columns_add(&columns, "keeps nothing: %s", cache->state.unwritable);
    columns_end_row(&columns);
    columns_print(&columns, out, "cache    ");
    if (cache->status) {
        char *text = format("cannot be used: %s", cache->text);
        print_line(out, blank, text);
        free(text);
    }
}

static void add_size(struct columns *columns, struct maybe bytes)
{
    const double mib = (double) bytes.value / (1 << 20);
    if (!bytes.known)
        columns_add(columns, "unknown memory");
    else if (mib < 1024)
        columns_add(columns, "%.0f MiB", mib);
    else
        columns_add(columns, "%.1f GiB", mib / 1024);
}

static void add_architecture(struct columns *columns, const struct device *device)
{
    const struct maybe *attributes = device->attributes;
    if (attributes[ATTRIBUTE_CAPABILITY_MAJOR].known &&
        attributes[ATTRIBUTE_CAPABILITY_MINOR].known)
        columns_add(columns, "sm_%u%u", (unsigned) attributes[ATTRIBUTE_CAPABILITY_MAJOR].value,
                    (unsigned) attributes[ATTRIBUTE_CAPABILITY_MINOR].value);
    else
        columns_add(columns, "sm unknown");
}

static void add_multiprocessors(struct columns *columns, struct maybe number)
{
    if (number.known)
        columns_add(columns, "%u SMs", (unsigned) number.value);
    else
        columns_add(columns, "unknown SMs");
}

/* Adds nothing if the device has no peers. */
static void add_peers(struct columns *columns, const struct device *device, size_t n)
{
    char *list = format("%s", "");
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        if (!device->peers[i].value)
            continue;
        char *longer = format("%s%s%zu", list, found++ ? ", " : "", i);
        free(list);
        list = longer;
    }
    if (found > 3 && found == n - 1)
        columns_add(columns, "peer access with all");
    else
        columns_add(columns, "%s%s", found ? "peer access with " : "", list);
    free(list);
}

/* Adds the compute mode only if it may keep a program from using the device. */
static void add_compute_mode(struct columns *columns, struct maybe mode)
{
    if (!mode.known)
        columns_add(columns, "unknown compute mode");
    else if (mode.value == COMPUTE_MODE_PROHIBITED)
        columns_add(columns, "computing prohibited");
    else if (mode.value == COMPUTE_MODE_EXCLUSIVE || mode.value == COMPUTE_MODE_EXCLUSIVE_PROCESS)
        columns_add(columns, "one process at a time");
    else
        columns_add(columns, "%s", "");
}

static void print_devices(const struct devices *devices, FILE *out)
{
    struct columns columns = {0};
    const int digits = devices->n > 10 ? 2 : 1;
    for (size_t i = 0; i < devices->n; i++) {
        const struct device *device = &devices->list[i];
        columns_add(&columns, "%*zu  %s", digits, i, *device->name ? device->name : "unknown");
        add_architecture(&columns, device);
        add_size(&columns, device->memory_bytes);
        add_multiprocessors(&columns, device->attributes[ATTRIBUTE_MULTIPROCESSORS]);
        add_peers(&columns, device, devices->n);
        add_compute_mode(&columns, device->attributes[ATTRIBUTE_COMPUTE_MODE]);
        columns_end_row(&columns);
    }
    if (devices->n)
        columns_print(&columns, out, "devices  ");
    else if (devices->asked && devices->result == 0)
        print_line(out, "devices  ", "none");
    else
        print_line(out, "devices  ", "unknown");
}

static void print_names(const struct missing_group *group, FILE *out)
{
    struct columns columns = {0};
    for (size_t i = 0; i < group->n; i++) {
        const struct cushim_missing *missing = group->functions[i];
        columns_add(&columns, "CUDA %d.%d", major(missing->since), minor(missing->since));
        columns_add(&columns, "%s", missing->symbol);
        if (missing->until)
            columns_add(&columns, "until CUDA %d.%d", major(missing->until), minor(missing->until));
        columns_end_row(&columns);
    }
    columns_print(&columns, out, "           ");
}

static void print_group(const struct missing_group *group, const struct cushim_report *report,
                        enum missing_reason reason, bool list, const char *label, FILE *out)
{
    char *title = missing_group_title(group, report, reason);
    char *examples = missing_group_examples(group);
    if (list)
        fprintf(out, "%s%s:\n", label, title);
    else if (group->n <= 3)
        fprintf(out, "%s%s: %s\n", label, title, examples);
    else
        fprintf(out, "%s%s, among them %s; `cushim info --missing` lists them\n", label, title,
                examples);
    if (list)
        print_names(group, out);
    free(examples);
    free(title);
}

static void print_missing(const struct cushim_report *report, bool list, const char *label,
                          FILE *out)
{
    if (!report->chosen)
        return;
    if (list && report->n_missing == 0)
        print_line(out, label, "nothing");
    for (int reason = 0; reason < N_MISSING_REASONS; reason++) {
        struct missing_group group;
        missing_group_init(&group, report, (enum missing_reason) reason);
        if (group.n) {
            print_group(&group, report, (enum missing_reason) reason, list, label, out);
            label = blank;
        }
        missing_group_finish(&group);
    }
}

void info_print_text(const struct info *info, bool list_missing, FILE *out)
{
    print_driver(info, out);
    print_tool(&info->nvrtc, "nvrtc    ", out);
    print_tool(&info->nvjitlink, "jitlink  ", out);
    print_cache(&info->cache, out);
    print_devices(&info->devices, out);
    if (info->kernels)
        print_line(out, "kernels  ", info->kernels);
    print_missing(info->driver.report, list_missing,
                  list_missing ? "missing  driver: " : "missing  ", out);
    if (list_missing) {
        print_missing(info->nvrtc.report, true, "missing  nvrtc: ", out);
        print_missing(info->nvjitlink.report, true, "missing  nvjitlink: ", out);
    }
    if (info->advice.problem)
        print_line(out, "not usable: ", info->advice.text);
    else
        print_line(out, "usable.", "");
}
