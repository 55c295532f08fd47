/* SPDX-License-Identifier: MIT */
/*
 * Finds the cause of a problem and the remedy for it. Each text names the cause first and then the
 * remedy, for readers who do not know this library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/mock.h>

#include "info.h"
#include "util.h"

enum {
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    DRIVER_MISMATCH = 803,
    INIT_UNKNOWN = 999,
};

/* Results of cuInit() whose remedy is the same on every machine. */
static const struct init_case {
    int status;
    const char *problem;
    const char *text;
} init_cases[] = {
    {2, "out_of_memory",
     "the driver could not get the host memory it needs to start; raise the limits on memory "
     "(ulimit -v, the container's or the job's) or end other programs"},
    {NOT_INITIALIZED, "forked",
     "the driver was started before this process was forked, and does not work in the child; "
     "start the process anew (in Python: multiprocessing with 'spawn')"},
    {CUSHIM_ERROR_FORKED, "forked",
     "the driver was started before this process was forked, and does not work in the child; "
     "start the process anew (in Python: multiprocessing with 'spawn')"},
    {304, "operating_system",
     "the operating system refused what the driver asked of it; check that this user may open "
     "/dev/nvidia*, and that the container or a sandbox lets it"},
    {802, "system_not_ready",
     "the GPUs are not ready; on machines with NVSwitch start the fabric manager "
     "(systemctl start nvidia-fabricmanager), elsewhere wait until the driver's services run"},
    {804, "compat_not_supported",
     "this is a compatibility library that runs on data-center GPUs only; take its folder "
     "(often .../cuda/compat) out of the library path, and update the driver instead"},
    {805, "mps",
     "the MPS server does not answer; start nvidia-cuda-mps-control, or unset "
     "CUDA_MPS_PIPE_DIRECTORY"},
    {806, "mps", "the MPS server answers with errors; restart nvidia-cuda-mps-control"},
    {807, "mps", "the MPS server is not ready; try again, or restart nvidia-cuda-mps-control"},
};

static struct advice unusable(const char *problem, char *text)
{
    return (struct advice){.problem = problem, .text = text};
}

static struct advice no_device(const struct info *info)
{
    const char *visible = info->machine.visible_devices;
    if (visible)
        return unusable("no_device",
                        format("the driver is there, and shows no device; CUDA_VISIBLE_DEVICES is "
                               "'%s', which may hide them: unset it to see all",
                               visible));
    if (!info->machine.has_nvidiactl && info->machine.in_container)
        return unusable("no_device",
                        format("the driver is there, and no device; this container was given none: "
                               "start it with the GPUs (docker run --gpus all)"));
    return unusable("no_device",
                    format("the driver is there, and no device; check that the machine has an "
                           "NVIDIA GPU (lspci), and what nvidia-smi and the kernel's log say"));
}

/* Returns " (550.54.15)", or "" if the release is not known. */
static char *in_brackets(const char *release)
{
    return *release ? format(" (%s)", release) : format("%s", "");
}

static struct advice driver_mismatch(const struct info *info)
{
    char *file = in_brackets(info->driver_release);
    char *kernel = in_brackets(info->machine.kernel_release);
    char *text = format("the driver's library%s and the loaded kernel module%s do not belong "
                        "together; reboot if the driver was just updated, else take the folder of "
                        "another driver's library (often .../cuda/compat) out of the library path",
                        file, kernel);
    free(kernel);
    free(file);
    return unusable("driver_mismatch", text);
}

/* The driver gives no reason; this is the most common one. */
static struct advice init_unknown(const struct info *info)
{
    const char *remedy =
        info->machine.has_nvidia_uvm
            ? "load its kernel module nvidia_uvm anew (modprobe -r nvidia_uvm; "
              "modprobe nvidia_uvm), which helps after the machine slept, or reboot"
            : "/dev/nvidia-uvm is not there: load its kernel module (modprobe "
              "nvidia_uvm), or give the container this device";
    return unusable(
        "initialization_failed",
        format("the driver was found, and does not start (999, unknown error); %s", remedy));
}

static struct advice init_other(const struct cushim_report *report)
{
    return unusable("initialization_failed",
                    format("the driver was found, and answers %d %s (%s); see what nvidia-smi and "
                           "the kernel's log say",
                           report->status, cushim_status_name(report->status),
                           cushim_status_text(report->status)));
}

void *mock_function(const struct cushim_candidate *chosen, const char *name)
{
    void *library = dlopen(chosen->path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);

    return library ? dlsym(library, name) : NULL;
}

/* Returns the mock's sentence about why it does not start, or NULL if the driver is none. */
static const char *mock_sentence(const struct cushim_candidate *chosen)
{
    __typeof__(cushim_mock_error_text) *error_text = NULL;

    *(void **) &error_text = mock_function(chosen, "cushim_mock_error_text");
    return error_text ? error_text() : NULL;
}

/* The mock has no kernel module, and no files in /dev: its settings decide. */
static struct advice mock_not_started(const struct cushim_report *report, const char *sentence)
{
    if (*sentence)
        return unusable(report->status == NO_DEVICE ? "no_device" : "mock_settings",
                        format("the mock does not start with these settings: %s", sentence));
    return unusable(
        "mock_settings",
        format("the mock answers %d %s (%s), as CUSHIM_FAULTS or CUSHIM_MOCK_FAULTS ask "
               "for",
               report->status, cushim_status_name(report->status),
               cushim_status_text(report->status)));
}

/* A driver was chosen, but does not start. */
static struct advice not_started(const struct info *info)
{
    const struct cushim_report *report = info->driver.report;
    const char *sentence = mock_sentence(report->chosen);

    if (sentence)
        return mock_not_started(report, sentence);
    switch (report->status) {
    case NO_DEVICE:
        return no_device(info);
    case DRIVER_MISMATCH:
        return driver_mismatch(info);
    case INIT_UNKNOWN:
        return init_unknown(info);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof(init_cases) / sizeof(init_cases[0]); i++)
        if (init_cases[i].status == report->status)
            return unusable(init_cases[i].problem, format("%s", init_cases[i].text));
    return init_other(report);
}

/* Returns what decides which library is opened: the option or the variable. */
static const char *who_decides(const struct info *info)
{
    return info->driver.words ? info->driver.option : info->driver.variable;
}

static const char *words_of(const struct info *info)
{
    const char *words = info->driver.words ? info->driver.words : info->driver.setting;
    return words ? words : "";
}

static const char *file_of(const struct cushim_candidate *candidate)
{
    return *candidate->path ? candidate->path : candidate->name;
}

static bool is_named(const struct cushim_candidate *candidate)
{
    return candidate->origin == CUSHIM_ORIGIN_PARAMETER ||
           candidate->origin == CUSHIM_ORIGIN_ENVIRONMENT;
}

static char *stub_text(const struct info *info, const struct cushim_candidate *candidate)
{
    const char *file = file_of(candidate);
    size_t folder = 0;
    if (machine_searches_folder_of(&info->machine, file, &folder))
        return format("%s is the CUDA toolkit's stub, which is there for linking only, and hides "
                      "the driver; take %.*s out of LD_LIBRARY_PATH",
                      file, (int) folder, file);
    if (is_named(candidate))
        return format("%s is the CUDA toolkit's stub, which is there for linking only; let %s name "
                      "the driver's own library",
                      file, who_decides(info));
    return format("%s is the CUDA toolkit's stub, which is there for linking only; remove it from "
                  "the library path (`dpkg -S` or `rpm -qf` with this path tell whose it is), and "
                  "install the NVIDIA driver if there is none",
                  file);
}

static char *empty_text(const struct cushim_candidate *candidate)
{
    return format("%s is an empty file, as container images have where the driver's library is "
                  "put in later; start the container with the NVIDIA runtime (docker run "
                  "--gpus all, with NVIDIA_DRIVER_CAPABILITIES=compute,utility)",
                  file_of(candidate));
}

static char *rejected_text(const struct info *info, const struct cushim_candidate *candidate)
{
    const char *file = file_of(candidate), *detail = candidate->detail;
    const char *colon = *detail ? ": " : "";
    switch (candidate->verdict) {
    case CUSHIM_VERDICT_STUB:
        return stub_text(info, candidate);
    case CUSHIM_VERDICT_EMPTY:
        return empty_text(candidate);
    case CUSHIM_VERDICT_OTHER_MACHINE:
        return format("%s is a library for another architecture than this program's%s%s; install "
                      "the driver's library for this one",
                      file, colon, detail);
    case CUSHIM_VERDICT_LOAD_FAILED:
        return format("%s is there, and cannot be loaded%s%s; install what it needs, or the "
                      "driver anew",
                      file, colon, detail);
    case CUSHIM_VERDICT_UNREADABLE:
        if (!strcmp(detail, strerror(EACCES)))
            return format("%s may not be read by this user; change its permissions", file);
        return format("%s cannot be read%s%s; name another file, or install the driver anew", file,
                      colon, detail);
    case CUSHIM_VERDICT_SELF:
        return format("%s is this library itself under the driver's name, and no driver is behind "
                      "it; install the NVIDIA driver",
                      file);
    case CUSHIM_VERDICT_INCOMPLETE:
        return format("%s is no CUDA driver that programs can use: functions are missing%s%s; "
                      "install a current NVIDIA driver",
                      file, colon, detail);
    default:
        return format("%s is not a library (%s%s%s); install the NVIDIA driver anew, or name "
                      "another file",
                      file, cushim_verdict_word(candidate->verdict), colon, detail);
    }
}

/*
 * Returns how much a verdict explains; 0 is nothing. The first candidate with the highest number is
 * reported.
 */
static int weight_of(enum cushim_verdict verdict)
{
    switch (verdict) {
    case CUSHIM_VERDICT_CHOSEN:
    case CUSHIM_VERDICT_ABSENT:
    case CUSHIM_VERDICT_REPEATED:
    case CUSHIM_VERDICT_DISABLED:
        return 0;
    case CUSHIM_VERDICT_OTHER_MACHINE: /* normal on a machine that has libraries of two kinds */
        return 1;
    default:
        return 2;
    }
}

static const struct cushim_candidate *most_telling(const struct cushim_report *report)
{
    const struct cushim_candidate *best = NULL;
    for (size_t i = 0; i < report->n_candidates; i++) {
        const struct cushim_candidate *candidate = report->candidates[i];
        const int weight = weight_of(candidate->verdict);
        if (weight && (!best || weight > weight_of(best->verdict)))
            best = candidate;
    }
    return best;
}

static const struct cushim_candidate *with_verdict(const struct cushim_report *report,
                                                   enum cushim_verdict verdict)
{
    for (size_t i = 0; i < report->n_candidates; i++)
        if (report->candidates[i]->verdict == verdict)
            return report->candidates[i];
    return NULL;
}

/* Tells whether only libraries were tried that the user has named. */
static bool only_named(const struct cushim_report *report)
{
    for (size_t i = 0; i < report->n_candidates; i++)
        if (!is_named(report->candidates[i]))
            return false;
    return report->n_candidates > 0;
}

static struct advice not_installed(const struct machine *machine)
{
    if (*machine->kernel_release)
        return unusable("library_not_installed",
                        format("the kernel module %s of an NVIDIA driver is loaded, and its "
                               "library libcuda.so.1 is not here; %s",
                               machine->kernel_release,
                               machine->in_container
                                   ? "start the container with the NVIDIA runtime (docker run "
                                     "--gpus all, with NVIDIA_DRIVER_CAPABILITIES=compute,utility)"
                                   : "install the driver's package that has it (libcuda1, "
                                     "libnvidia-compute or nvidia-driver-cuda)"));
    if (machine->has_dxg)
        return unusable("driver_not_installed",
                        format("no CUDA driver is installed; in WSL it comes from Windows: install "
                               "the NVIDIA driver there"));
    return unusable("driver_not_installed",
                    format("no CUDA driver is installed; install the NVIDIA driver (the CUDA "
                           "toolkit does not have it), or set CUSHIM_LIBCUDA=mock to run without "
                           "a GPU"));
}

/* No candidate was accepted. */
static struct advice not_found(const struct info *info)
{
    const struct cushim_report *report = info->driver.report;
    const struct cushim_candidate *telling = most_telling(report);
    if (telling)
        return unusable("library_rejected", rejected_text(info, telling));
    if (with_verdict(report, CUSHIM_VERDICT_DISABLED))
        return unusable("disabled",
                        format("%s asks for no driver; change it to use one", who_decides(info)));
    if (only_named(report))
        return unusable("named_library_absent",
                        format("%s is '%s', and that is not there; correct it, or leave it out to "
                               "search the usual places",
                               who_decides(info), words_of(info)));
    return not_installed(&info->machine);
}

struct advice advice_find(const struct info *info)
{
    const struct cushim_report *report = info->driver.report;
    if (report->status != CUSHIM_OK)
        return report->chosen ? not_started(info) : not_found(info);
    if (info->devices.asked && info->devices.result == 0 && info->devices.n == 0)
        return no_device(info);
    if (!info->devices.asked || info->devices.result != 0)
        return unusable("devices_unknown",
                        format("the driver started, and does not tell its devices (%d %s); see "
                               "what nvidia-smi and the kernel's log say",
                               info->devices.result, cushim_status_name(info->devices.result)));
    return (struct advice){0};
}
