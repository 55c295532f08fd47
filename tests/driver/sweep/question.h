/* SPDX-License-Identifier: MIT */
/* The questions: which there are, what they are called, and how one is asked. */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_QUESTION_H
#define CUSHIM_TESTS_DRIVER_SWEEP_QUESTION_H

#include "sweep.h"

enum situation {
    ORDINARY,
    BEFORE_INIT,
    WITHOUT_CONTEXT,
    OTHER_CONTEXT_CURRENT,
    OTHER_DEVICE_CURRENT,
    WHILE_CAPTURING, /* another stream captures, in global mode */
    IN_A_CHILD,      /* after fork() */
    AFTER_A_FAULT,
    N_SITUATIONS
};

struct question {
    const char *family;
    const struct row *row;
    enum situation situation;
    int position, value; /* which parameter has which value; position is -1 for the good call */
};

/* Questions of a stage are asked together. Those at the end may cost a process each. */
enum stage { PLAIN_STAGE = N_SITUATIONS, RISKY_STAGE, SLOW_STAGE, N_STAGES };
unsigned stage_of(const struct question *question);

#define ANSWER_BYTES 120
#define LABEL_BYTES  160

/* All of them, and how many; they are never freed. */
unsigned list_questions(const struct question **ret_questions);

/* "function<TAB>parameter<TAB>value", of up to twice LABEL_BYTES */
void label_question(const struct question *question, char *ret_text);

/* A call that is ready to be made. */
struct call {
    const struct question *question;
    driver_function *function;
    uint64_t registers[8], stack[24];
    unsigned n_registers, n_stack, n_floats;
    float floats[2];
    struct result {
        const unsigned char *bytes;
        unsigned n;
        bool handle; /* that there is one is told, and not which */
        void (*destroy)(uint64_t);
    } results[8];
    unsigned n_results;
};

/* False if the driver refused to make an object that the call needs, or lacks the function. */
bool prepare_call(const struct question *question, struct call *ret_call);
int make_call(const struct call *call);
void write_answer(const struct call *call, int result, char *ret_text);

bool needs_two_devices(const struct question *question);

#endif
