/* SPDX-License-Identifier: MIT */
#include "standin/nvrtc/session.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "standin/nvrtc/real.h"
#include "standin/nvrtc/store.h"

static struct {
    bool keeps_ptx;         /* the real NVRTC answers, but has PTX in place of machine code */
    char *path;             /* of the file, from the root: programs change their folder */
    bool records;           /* else it replays */
    struct answers answers; /* of the file; when recording only what NVRTC says of itself */
    struct real real;       /* when recording */
    bool works;
    struct cushim__str why;
} session;

static char *from_root(const char *path)
{
    char folder[PATH_MAX];
    struct cushim__str full = {0};

    if (*path == '/' || !getcwd(folder, sizeof(folder)))
        cushim__str_append(&full, "%s", path);
    else
        cushim__str_append(&full, "%s/%s", folder, path);
    if (full.failed)
        cushim__str_finish(&full);
    return full.text;
}

static bool begin(void)
{
    const char *record = cushim__env("CUSHIM_NVRTC_RECORD");
    const char *replay = cushim__env("CUSHIM_NVRTC_REPLAY");

    session.keeps_ptx = cushim__env("CUSHIM_NVRTC_KEEP_PTX");
    if (record && replay) {
        cushim__str_append(&session.why,
                           "each of CUSHIM_NVRTC_RECORD and CUSHIM_NVRTC_REPLAY names a file");
        return false;
    }
    if (!record && !replay && !session.keeps_ptx) {
        cushim__str_append(&session.why, "none of CUSHIM_NVRTC_RECORD, CUSHIM_NVRTC_REPLAY and "
                                         "CUSHIM_NVRTC_KEEP_PTX is set");
        return false;
    }
    if (!record && !replay)
        return real_open(&session.real, &session.answers, &session.why);
    session.records = record;
    session.path = from_root(record ? record : replay);
    if (!session.path)
        return false;
    return record ? real_open(&session.real, &session.answers, &session.why)
                  : store_read(session.path, true, &session.answers, &session.why);
}

/* The loaders of programs show no reason why a library does not answer, so it is printed. */
static void start(void)
{
    session.works = begin();
    if (!session.works)
        fprintf(stderr, "cushim-nvrtc: %s\n", cushim__str_get(&session.why));
}

/*
 * The search for the real NVRTC may come to this library, under one of NVRTC's names. It does not
 * answer then, and the search goes on.
 */
static _Thread_local bool is_starting;

static bool works(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (is_starting)
        return false;
    is_starting = true;
    pthread_once(&once, start);
    is_starting = false;
    return session.works;
}

const struct answers *session_says(void)
{
    return works() && session.answers.major ? &session.answers : NULL;
}

static void append_list(struct cushim__str *str, const char *what, const struct list *list)
{
    cushim__str_append(str, "  %s:%s", what, list->n ? "" : " none");
    for (size_t i = 0; i < list->n; i++)
        cushim__str_append(str, " %s", list->texts[i]);
    cushim__str_append(str, "\n");
}

/* The log of a program without an answer: what is missing, and how to record it. */
static void explain_miss(struct program *program, const char *why)
{
    struct cushim__str *miss = &program->miss;

    cushim__str_append(miss, "%s: error: no answer is recorded in %s: %s\n", program->name,
                       session.path, why);
    append_list(miss, "options", &program->options);
    append_list(miss, "name expressions", &program->expressions);
    append_list(miss, "headers in memory", &program->header_names);
    cushim__str_append(
        miss,
        "  source: begins with \"%.*s\"\n"
        "Record it where NVRTC is: run the program there with CUSHIM_NVRTC_RECORD=%s "
        "instead of CUSHIM_NVRTC_REPLAY.\n",
        60, program->source, session.path);
}

static int replay(struct program *program, const struct answer *question)
{
    struct cushim__str why = {0};

    program->answer = store_find(&session.answers, question, &why);
    if (!program->answer)
        explain_miss(program, cushim__str_get(&why));
    cushim__str_finish(&why);
    return program->answer ? program->answer->result : RTC_INTERNAL_ERROR;
}

static int record(struct program *program, int n, const char *const *options, struct answer *answer)
{
    struct cushim__str why = {0};
    bool kept;

    program->answer = answer;
    if (!real_compile(&session.real, program, n, options, &program->arena, answer))
        return answer->result;
    kept = store_add(session.path, &session.answers, answer, &why);
    if (!kept) {
        program->answer = NULL;
        cushim__str_append(&program->miss, "%s: error: the answer is not recorded: %s\n",
                           program->name, cushim__str_get(&why));
    }
    cushim__str_finish(&why);
    return kept ? answer->result : RTC_INTERNAL_ERROR;
}

static int pass_on(struct program *program, int n, const char *const *options,
                   struct answer *answer)
{
    program->answer = answer;
    real_compile(&session.real, program, n, options, &program->arena, answer);
    return answer->result;
}

static int answer(struct program *program, int n, const char *const *options,
                  struct answer *question)
{
    if (!session.path)
        return pass_on(program, n, options, question);
    return session.records ? record(program, n, options, question) : replay(program, question);
}

int session_compile(struct program *program, int n, const char *const *options)
{
    struct answer *question;

    program->answer = NULL;
    cushim__str_finish(&program->miss);
    if (!works()) {
        cushim__str_append(&program->miss, "%s: error: %s\n", program->name,
                           cushim__str_get(&session.why));
        return RTC_INTERNAL_ERROR;
    }
    if (!program_set_options(program, n, options))
        return RTC_OUT_OF_MEMORY;
    question = program_question(program, &program->arena);
    if (!question)
        return RTC_OUT_OF_MEMORY;
    return answer(program, n, options, question);
}

bool session_keeps_ptx(void)
{
    return works() && session.keeps_ptx;
}

cushim_entry session_real(const char *symbol, unsigned row)
{
    const struct real *real = &session.real;

    return works() && real->table && cushim_nvrtc_has(real->nvrtc, symbol) ? real->table[row]
                                                                           : NULL;
}
