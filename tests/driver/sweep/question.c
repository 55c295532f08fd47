/* SPDX-License-Identifier: MIT */
#include "question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphs.h"
#include "kinds.h"
#include "world.h"

#define UNTOUCHED    0xa5
#define RESULT_BYTES 1024

/* The first arguments that are passed in registers. */
#ifdef __x86_64__
#define REGISTERS 6
#else
#define REGISTERS 8
#endif

/* While a call is prepared: which parameter is next. */
static int position;
static const struct question *asked;
static struct call *preparing;

static uint64_t make_object(const struct param *param, const struct value *value)
{
    unsigned depth = later_depth();
    CUcontext context = NULL, popped;
    uint64_t result;

    if (value->way == IN_OTHER_CONTEXT)
        context = world_other_context();
    if (value->way == ON_OTHER_DEVICE)
        context = world_other_device();
    if (value->way == AS_IT_IS)
        return value->make(param);
    other_graphs_begin();
    if (context)
        CALL(cuCtxPushCurrent_v2, (context));
    result = value->make(param);
    if (context)
        CALL(cuCtxPopCurrent_v2, (&popped));
    if (value->way == FREED)
        clean_up_to(depth);
    other_graphs_end();
    return result;
}

static uint64_t make_output(const struct param *param)
{
    unsigned char *bytes = scratch(RESULT_BYTES);

    memset(bytes, UNTOUCHED, RESULT_BYTES);
    preparing->results[preparing->n_results++] = (struct result){.bytes = bytes,
                                                                 .n = (unsigned) param->last,
                                                                 .handle = param->first,
                                                                 .destroy = param->destroy};
    return (uint64_t) bytes;
}

static uint64_t make_param(const struct param *param);

static uint64_t make_structure(const struct param *param)
{
    char *bytes = scratch(param->shape->bytes + 256);

    for (const struct field *f = param->shape->fields; f->name; f++) {
        uint64_t value = make_param(&f->param);

        memcpy(bytes + f->offset, &value, f->bytes);
    }
    if (param->kind->kind_class == IN_AND_OUT)
        preparing->results[preparing->n_results++] =
            (struct result){.bytes = (unsigned char *) bytes,
                            .n = (unsigned) (param->shape->bytes < 8 ? param->shape->bytes : 8)};
    return (uint64_t) bytes;
}

static uint64_t make_param(const struct param *param)
{
    uint64_t numbers[MAX_NUMBERS], result;
    unsigned value = position == asked->position ? (unsigned) asked->value : 0;

    position++;
    switch (param->kind->kind_class) {
    case OBJECTS:
        /* Before cuInit(), there is nothing. */
        return world_begun() || param->kind->values[value].make == make_text
                   ? make_object(param, &param->kind->values[value])
                   : 0;
    case NUMBERS:
    case FLOATS:
        param->kind->numbers(param, numbers);
        return numbers[value];
    case OUTPUTS:
        return value ? 0 : make_output(param);
    default:
        result = make_structure(param);
        return value ? 0 : result;
    }
}

static void pass(struct call *call, uint64_t value)
{
    if (call->n_registers < REGISTERS)
        call->registers[call->n_registers++] = value;
    else
        call->stack[call->n_stack++] = value;
}

static float as_float(uint64_t number)
{
    union {
        uint32_t bits;
        float value;
    } not_a_number = {.bits = 0xffffffff};

    return number == 0xffffffff ? not_a_number.value : (float) number;
}

static void pass_param(struct call *call, const struct param *param)
{
    uint64_t value = make_param(param);

    if (param->kind->kind_class == FLOATS) {
        call->floats[call->n_floats++] = as_float(value);
    } else if (param->kind->kind_class == STRUCTURES_BY_VALUE && param->shape->bytes == 8) {
        memcpy(&value, (void *) value, 8);
        pass(call, value);
    } else if (param->kind->kind_class == STRUCTURES_BY_VALUE) {
        memcpy(call->stack + call->n_stack, (void *) value, param->shape->bytes);
        call->n_stack += (unsigned) param->shape->bytes / 8;
    } else {
        pass(call, value);
    }
}

bool prepare_call(const struct question *question, struct call *ret_call)
{
    memset(ret_call, 0, sizeof(*ret_call));
    ret_call->question = asked = question;
    ret_call->function = find(question->row->function);
    preparing = ret_call;
    position = 0;
    making_begins();
    for (unsigned i = 0; i < MAX_PARAMS && question->row->params[i].kind; i++)
        pass_param(ret_call, &question->row->params[i]);
    return ret_call->function && !making_failed();
}

/* Unused arguments do no harm: the caller takes them off the stack. */
typedef int any_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
#if REGISTERS == 8
                         uint64_t, uint64_t,
#endif
                         float, float, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t);

int make_call(const struct call *call)
{
    const uint64_t *r = call->registers, *s = call->stack;

    return ((any_function *) call->function)(r[0], r[1], r[2], r[3], r[4], r[5],
#if REGISTERS == 8
                                             r[6], r[7],
#endif
                                             call->floats[0], call->floats[1], s[0], s[1], s[2],
                                             s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11],
                                             s[12], s[13], s[14], s[15]);
}

/* Small numbers are told; of others, such as addresses and handles, that they are there. */
static int write_number(char *text, const unsigned char *bytes, unsigned n, bool handle)
{
    static const unsigned char untouched[8] = {UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED,
                                               UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED};
    int64_t number = 0;

    if (!memcmp(bytes, untouched, n))
        return sprintf(text, "~");
    memcpy(&number, bytes, n);
    if (n == 4)
        number = (int32_t) number;
    if (number <= -100 || number >= 4096 || (handle && number))
        return sprintf(text, "+");
    return sprintf(text, "%lld", (long long) number);
}

static void write_result(const struct result *result, char *text)
{
    unsigned step = result->n == 8 ? 8 : result->n < 4 ? 1 : 4;
    int used = sprintf(text, result->n ? ":" : "");

    for (unsigned i = 0; i + step <= result->n && used < 40; i += step) {
        used += sprintf(text + used, i ? "," : "");
        used += write_number(text + used, result->bytes + i, step, result->handle);
    }
}

void write_answer(const struct call *call, int result, char *ret_text)
{
    char *end = ret_text + sprintf(ret_text, "%d", result);

    if (result)
        return;
    for (unsigned i = 0; i < call->n_results && end - ret_text < ANSWER_BYTES - 60; i++) {
        write_result(&call->results[i], end);
        end += strlen(end);
    }
}
