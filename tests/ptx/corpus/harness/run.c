/* SPDX-License-Identifier: MIT */
/*
 * run [OPTION...] SUBJECT...: runs the corpus's cases of these subjects on a device. Without a
 * subject, all.
 *
 *   --library WHAT    the driver: a path, "mock", "auto"; without it, the environment's
 *   --ptx FOLDER      where there is PTX, as SUBJECT.TARGET.ptx; may be given again
 *   --case NAME       only this case
 *   --exceptions FILE what is refused or wrong for the time being; see exceptions.tsv
 *   --record FOLDER   writes the outputs there, to be compared with later
 *   --recorded FOLDER compares with what was recorded there
 *   --jit-level N     asks the driver's compiler for this level of optimisation
 *
 * Every case has a process of its own, for a fault breaks a context for good. Exit status: 0
 * right, 1 wrong, 77 there is no PTX, or no driver, or no device for it.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "device.h"
#include "modules.h"
#include "text.h"

enum { RIGHT = 0, WRONG = 1, REFUSED = 3, SKIP = 77, SECONDS = 100, MAX_FOLDERS = 4 };

#define ADDRESS(subject) &corpus_##subject,
static const struct corpus_module *const modules[] = {CORPUS_SUBJECTS(ADDRESS)};

static struct {
    const char *library, *folders[MAX_FOLDERS], *only, *exceptions, *record, *recorded;
    int jit_level;
} options = {.jit_level = -1};

static unsigned n_right, n_failed, n_excepted, n_skipped;

/* What the list of exceptions expects of this case. */
static int expected(const char *name, const char *target)
{
    char *text = options.exceptions ? corpus_read_file(options.exceptions) : NULL;
    int answer = RIGHT;

    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        char how[16], of[64], on[32];

        if (line[0] == '#' || sscanf(line, "%15s %63s %31s", how, of, on) != 3)
            continue;
        if (!strcmp(of, name) && (!strcmp(on, "*") || !strcmp(on, target)))
            answer = !strcmp(how, "refused") ? REFUSED : WRONG;
    }
    free(text);
    return answer;
}

/* A refusal is no wrong answer: 801 from any call, or a compiler that says so. */
static bool is_refusal(CUresult result, const char *text)
{
    return result == CUDA_ERROR_NOT_SUPPORTED || strstr(text, "is not executed by this device");
}

static void free_outputs(void **actual)
{
    for (unsigned b = 0; b < 8; b++)
        free(actual[b]);
}

static bool make_outputs(const struct corpus_case *test, void **actual)
{
    for (unsigned b = 0; b < 8 && test->buffers[b].count; b++) {
        actual[b] = calloc(1, corpus_bytes(&test->buffers[b]));
        if (!actual[b])
            return false;
    }
    return true;
}

static unsigned compare(struct corpus_run *run, void *const *actual, const struct corpus_key *key)
{
    const struct corpus_case *test = run->test;
    struct corpus_run contracted;
    unsigned wrong = 0;

    if (!corpus_make(test, &contracted))
        return 1;
    contracted.contracted = true;
    if (test->reference)
        test->reference(run);
    if (test->reference && test->contracts)
        test->reference(&contracted);
    for (unsigned b = 0; b < 8 && test->buffers[b].count; b++)
        if (test->reference && test->buffers[b].out)
            wrong += corpus_compare(run, test->contracts ? &contracted : NULL, b, actual[b]);
    if (options.record)
        wrong += corpus_record(options.record, key, test, actual);
    if (options.recorded)
        wrong += corpus_check_recorded(options.recorded, key, test, actual);
    corpus_free(&contracted);
    return wrong;
}

/* The mock watches what a kernel does, and finds nothing in one that is right. */
static bool found_something(cushim_driver driver)
{
    void *library = dlopen(cushim_driver_path(driver), RTLD_NOW | RTLD_NOLOAD);
    __typeof__(&cushim_mock_findings) get = NULL;
    const struct cushim_mock_finding *findings = NULL;
    size_t n = 0;

    if (library)
        *(void **) &get = dlsym(library, "cushim_mock_findings");
    if (get)
        n = get(&findings);
    for (size_t i = 0; i < n && i < 5; i++)
        printf("    the mock found: %s\n", findings[i].text);
    if (library)
        dlclose(library);
    return n > 0;
}

static int judge(struct corpus_run *run, void *const *actual, CUresult answer, const char *printed,
                 const struct corpus_key *key)
{
    const struct corpus_case *test = run->test;

    if ((int) answer != test->result) {
        printf("    cuCtxSynchronize: expected %d, actual %d %s\n", test->result, (int) answer,
               cushim_status_name((int) answer));
        return WRONG;
    }
    if (corpus_differ(test->print ? test->print : "", printed ? printed : ""))
        return WRONG;
    return answer == CUDA_SUCCESS && compare(run, actual, key) ? WRONG : RIGHT;
}

/* The kernel's own output is caught, and what this program says goes where it always goes. */
static int execute(struct corpus_device *device, const char *ptx, struct corpus_run *run,
                   void **actual, const struct corpus_key *key)
{
    struct corpus_caught caught;
    CUresult result, answer = CUDA_SUCCESS;
    char *printed;
    int wrong;

    corpus_catch(&caught);
    result = corpus_execute(device, ptx, run, actual, &answer);
    printed = corpus_caught(&caught);
    if (result != CUDA_SUCCESS || answer == CUDA_ERROR_NOT_SUPPORTED) {
        printf("    %s\n", device->text[0] ? device->text : "the launch is not supported");
        wrong = result && !is_refusal(result, device->text) ? WRONG : REFUSED;
    } else {
        wrong = judge(run, actual, answer, printed, key);
    }
    free(printed);
    return wrong;
}

static int execute_watched(cushim_driver driver, struct corpus_device *device, const char *ptx,
                           struct corpus_run *run, void **actual, const struct corpus_key *key)
{
    const int answer = execute(device, ptx, run, actual, key);

    return answer == RIGHT && !run->test->result && found_something(driver) ? WRONG : answer;
}

/* Of "compute_90" any device from 90 on takes the code, of "compute_100a" only one of 100. */
struct target {
    int capability;
    bool exact;
};

static struct target target_of(const char *name)
{
    const char *digits = strpbrk(name, "0123456789");

    return (struct target){digits ? atoi(digits) : 0, digits && name[strlen(name) - 1] == 'a'};
}

/* In a process of its own. */
static int run_case(const struct corpus_case *test, const char *ptx, struct target target,
                    const struct corpus_key *key)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    const struct cushim_open_params *params = cushim_open_params(.library = options.library);
    struct corpus_device device = {.jit_level = options.jit_level};
    struct corpus_run run;
    void *actual[8] = {NULL};
    int capability, answer = WRONG;

    if (cushim_open(params, &driver) != CUSHIM_OK)
        return printf("    %s\n", cushim_error_text()), SKIP;
    device.cu = cushim_cuda(driver);
    if (corpus_capability(&device, &capability) != CUDA_SUCCESS)
        return printf("    %s\n", device.text), WRONG;
    if (target.capability > capability || (target.exact && target.capability != capability))
        return printf("    for devices %s %d, this is %d\n", target.exact ? "of" : "from",
                      target.capability, capability),
               SKIP;
    if (corpus_make(test, &run) && make_outputs(test, actual))
        answer = execute_watched(driver, &device, ptx, &run, actual, key);
    free_outputs(actual);
    corpus_free(&run);
    return answer;
}

/* Is there a driver? A child asks, because the children of the first to open one could not use it.
 */
static bool has_driver(void)
{
    const pid_t child = fork();
    int status = -1;

    if (child == 0) {
        CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
        const struct cushim_open_params *params = cushim_open_params(.library = options.library);
        const bool opened = cushim_open(params, &driver) == CUSHIM_OK;

        if (!opened)
            printf("skipped: %s\n", cushim_error_text());
        fflush(stdout);
        cushim_close(&driver);
        _exit(!opened);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* A signal that ends the child is the answer. */
static int in_a_child(const struct corpus_case *test, const char *ptx, struct target target,
                      const struct corpus_key *key)
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        int answer;

        alarm(SECONDS);
        answer = run_case(test, ptx, target, key);
        fflush(stdout);
        exit(answer);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return WRONG;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    printf("    ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WRONG;
}

static const char *word_of(int answer)
{
    switch (answer) {
    case RIGHT:
        return "right";
    case REFUSED:
        return "refused";
    case SKIP:
        return "skipped";
    default:
        return "wrong";
    }
}

/* An exception that is none any more is an error, so that the list shrinks. */
static void count(const char *name, const char *target, int answer)
{
    const int as_listed = expected(name, target);

    if (answer == SKIP)
        n_skipped++;
    else if (answer != as_listed)
        n_failed++;
    else if (answer == RIGHT)
        n_right++;
    else
        n_excepted++;
    printf("%s\t%s\t%s", word_of(answer), name, target);
    if (answer != SKIP && answer != as_listed)
        printf("\tFAILED: expected it to be %s", word_of(as_listed));
    printf("\n");
}

static void run_file(const struct corpus_module *module, const char *path, const char *target)
{
    char *ptx = corpus_read_file(path);

    if (!ptx) {
        printf("FAILED: %s cannot be read\n", path);
        n_failed++;
        return;
    }
    for (size_t i = 0; i < module->count; i++) {
        const struct corpus_case *test = &module->cases[i];
        char name[128];
        const struct corpus_key key = {module->name, name};

        if (options.only && strcmp(options.only, test->name) != 0)
            continue;
        snprintf(name, sizeof(name), "%s.%s", test->name, target);
        count(test->name, target, in_a_child(test, ptx, target_of(target), &key));
    }
    free(ptx);
}

/* The files SUBJECT.TARGET.ptx of a folder. */
static unsigned run_folder(const struct corpus_module *module, const char *folder)
{
    struct dirent **entries;
    const int n = scandir(folder, &entries, NULL, alphasort);
    const size_t length = strlen(module->name);
    unsigned found = 0;

    for (int i = 0; i < n; i++) {
        char *name = entries[i]->d_name, *end = strstr(name, ".ptx"), path[512];

        if (end && !strncmp(name, module->name, length) && name[length] == '.') {
            snprintf(path, sizeof(path), "%s/%s", folder, name);
            *end = '\0';
            run_file(module, path, name + length + 1);
            found++;
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return found;
}

static void run_module(const struct corpus_module *module)
{
    unsigned found = 0;

    for (int i = 0; i < MAX_FOLDERS && options.folders[i]; i++)
        found += run_folder(module, options.folders[i]);
    if (!found)
        printf("skipped\t%s: there is no PTX; regenerate.py makes it where nvcc is\n",
               module->name);
    n_skipped += !found;
}

static int run_named(const char *name)
{
    for (size_t m = 0; m < sizeof(modules) / sizeof(*modules); m++)
        if (!name || !strcmp(modules[m]->name, name)) {
            run_module(modules[m]);
            if (name)
                return 0;
        }
    if (name)
        fprintf(stderr, "run: there is no subject '%s'\n", name);
    return name != NULL;
}

static bool set_option(const char *name, const char *value)
{
    const struct {
        const char *name, **place;
    } texts[] = {{"--library", &options.library},
                 {"--case", &options.only},
                 {"--exceptions", &options.exceptions},
                 {"--record", &options.record},
                 {"--recorded", &options.recorded}};
    int i = 0;

    for (size_t t = 0; t < sizeof(texts) / sizeof(*texts); t++)
        if (!strcmp(name, texts[t].name)) {
            *texts[t].place = value;
            return true;
        }
    if (!strcmp(name, "--jit-level")) {
        options.jit_level = atoi(value);
        return true;
    }
    while (i < MAX_FOLDERS - 1 && options.folders[i])
        i++;
    options.folders[i] = value;
    return !strcmp(name, "--ptx");
}

int main(int argc, char **argv)
{
    int i = 1, bad = 0;

    for (; i < argc && !strncmp(argv[i], "--", 2); i += 2)
        if (i + 1 == argc || !set_option(argv[i], argv[i + 1])) {
            fprintf(stderr, "run: what is '%s'?\n", argv[i]);
            return 2;
        }
    if (!has_driver())
        return SKIP;
    if (i == argc)
        bad = run_named(NULL);
    for (; i < argc; i++)
        bad |= run_named(argv[i]);
    printf("%u right, %u failed, %u exceptions, %u skipped\n", n_right, n_failed, n_excepted,
           n_skipped);
    return bad || n_failed ? WRONG : n_right + n_excepted == 0 ? SKIP : RIGHT;
}
