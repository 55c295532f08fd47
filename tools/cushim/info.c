/* SPDX-License-Identifier: MIT */
/* `cushim info`: reads the command line, collects the information, and prints it. */
#include "info.h"

#include <getopt.h>
#include <stdlib.h>

#include <cushim/mock.h>

#include "command.h"

static const char usage[] =
    "usage: cushim info [--json] [--missing] [--library WORDS] [--nvrtc WORDS]\n"
    "                   [--nvjitlink WORDS]\n"
    "\n"
    "Tells which CUDA driver a program that uses cushim would get here, what else was\n"
    "tried, which devices there are, what compiles and links kernels, where they are\n"
    "kept, and what to do where none of it is usable.\n"
    "\n"
    "  --json             everything, as JSON\n"
    "  --missing          list the functions that the libraries lack\n"
    "  --library WORDS    open this driver, in place of CUSHIM_LIBCUDA: a path, a name, mock,\n"
    "                     none or auto; several separated by ':' are tried in turn\n"
    "  --nvrtc WORDS      open this NVRTC, in place of CUSHIM_LIBNVRTC\n"
    "  --nvjitlink WORDS  open this nvJitLink, in place of CUSHIM_LIBNVJITLINK\n"
    "  --help             print this\n"
    "\n"
    "Exit status: 0 a usable driver and device, 1 none, 2 wrong usage, 3 no answer.\n";

enum option_code {
    OPTION_JSON = 1,
    OPTION_MISSING,
    OPTION_LIBRARY,
    OPTION_NVRTC,
    OPTION_NVJITLINK,
    OPTION_HELP = 'h',
};

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"missing", no_argument, NULL, OPTION_MISSING},
    {"library", required_argument, NULL, OPTION_LIBRARY},
    {"nvrtc", required_argument, NULL, OPTION_NVRTC},
    {"nvjitlink", required_argument, NULL, OPTION_NVJITLINK},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

enum parsed {
    PARSED_RUN,
    PARSED_HELP,
    PARSED_WRONG,
};

static enum parsed parse(int argc, char **argv, struct info_options *options)
{
    int code;
    while ((code = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        switch (code) {
        case OPTION_JSON:
            options->json = true;
            break;
        case OPTION_MISSING:
            options->missing = true;
            break;
        case OPTION_LIBRARY:
            options->library = optarg;
            break;
        case OPTION_NVRTC:
            options->nvrtc = optarg;
            break;
        case OPTION_NVJITLINK:
            options->nvjitlink = optarg;
            break;
        case OPTION_HELP:
            return PARSED_HELP;
        default:
            return PARSED_WRONG;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "%s: '%s' is not an option\n", argv[0], argv[optind]);
        return PARSED_WRONG;
    }
    return PARSED_RUN;
}

static cushim_status search(struct info_library *library, enum cushim_library which)
{
    CUSHIM_TRY(cushim_report_create(which, cushim_open_params(.library = library->words),
                                    &library->report));
    const struct cushim_candidate *chosen = library->report->chosen;
    if (chosen)
        library->file = machine_resolve(chosen->path);
    return CUSHIM_OK;
}

/* The report has opened the driver already, so this returns a handle to the same one. */
static void ask_devices(struct info *info)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    if (info->driver.report->status != CUSHIM_OK)
        return;
    if (cushim_open(cushim_open_params(.library = info->driver.words), &driver) != CUSHIM_OK)
        return;
    devices_init(&info->devices, driver);
}

static const char *ask_kernels(const struct cushim_candidate *chosen)
{
    __typeof__(cushim_mock_kernels_text) *text = NULL;

    if (chosen)
        *(void **) &text = mock_function(chosen, "cushim_mock_kernels_text");
    return text ? text() : NULL;
}

static cushim_status gather(struct info *info)
{
    machine_look(&info->machine);
    CUSHIM_TRY(search(&info->driver, CUSHIM_LIBRARY_CUDA));
    CUSHIM_TRY(search(&info->nvrtc, CUSHIM_LIBRARY_NVRTC));
    CUSHIM_TRY(search(&info->nvjitlink, CUSHIM_LIBRARY_NVJITLINK));
    cache_look(&info->cache);
    if (info->driver.file)
        machine_file_release(info->driver.file, info->driver_release);
    ask_devices(info);
    if (info->driver.report->status == CUSHIM_OK)
        info->kernels = ask_kernels(info->driver.report->chosen);
    info->advice = advice_find(info);
    return CUSHIM_OK;
}

static void finish(struct info *info)
{
    free(info->advice.text);
    devices_finish(&info->devices);
    free(info->driver.file);
    free(info->nvrtc.file);
    free(info->nvjitlink.file);
    free(info->cache.text);
    cushim_report_free(&info->nvjitlink.report);
    cushim_report_free(&info->nvrtc.report);
    cushim_report_free(&info->driver.report);
}

static int print(const struct info *info, const struct info_options *options)
{
    if (options->json)
        info_print_json(info, stdout);
    else
        info_print_text(info, options->missing, stdout);

    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("cushim info: standard output");
        return COMMAND_FAILED;
    }
    return info->advice.problem ? COMMAND_NO : COMMAND_OK;
}

static int run(const struct info_options *options)
{
    struct info info = {
        .driver = {.option = "--library",
                   .words = options->library,
                   .variable = "CUSHIM_LIBCUDA",
                   .setting = getenv("CUSHIM_LIBCUDA")},
        .nvrtc = {.option = "--nvrtc",
                  .words = options->nvrtc,
                  .variable = "CUSHIM_LIBNVRTC",
                  .setting = getenv("CUSHIM_LIBNVRTC")},
        .nvjitlink = {.option = "--nvjitlink",
                      .words = options->nvjitlink,
                      .variable = "CUSHIM_LIBNVJITLINK",
                      .setting = getenv("CUSHIM_LIBNVJITLINK")},
        .cache = {.folder = getenv("CUSHIM_CACHE"), .bytes = getenv("CUSHIM_CACHE_BYTES")},
    };
    int status = COMMAND_FAILED;
    if (gather(&info) == CUSHIM_OK)
        status = print(&info, options);
    else
        fprintf(stderr, "cushim info: %s\n", cushim_error_text());
    finish(&info);
    return status;
}

int command_info(int argc, char **argv)
{
    struct info_options options = {0};
    switch (parse(argc, argv, &options)) {
    case PARSED_RUN:
        return run(&options);
    case PARSED_HELP:
        fputs(usage, stdout);
        return COMMAND_OK;
    default:
        fprintf(stderr, "`%s --help` lists the options\n", argv[0]);
        return COMMAND_USAGE;
    }
}
