/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/util.h"
#include "mock/ptx/jit/keep.h"
#include "mock/ptx/jit/llvm.h"
#include "mock/ptx/jit/setting.h"

void ptx__jit_unit_finish(struct ptx__jit_unit *unit)
{
    ptx__jit_flow_free(&unit->flow);
    cushim__str_finish(&unit->text.text);
    free(unit->addresses.list);
    cushim__arena_finish(&unit->arena);
}

bool ptx__jit_unit_write(struct ptx__jit_unit *unit, const struct ptx__code *code,
                         const ptx__handler *runs, struct ptx__jit_shape shape, bool typed)
{
    unit->text.typed = typed;
    unit->full = shape.full;
    snprintf(unit->name, sizeof(unit->name), "%s", code->name);
    if (!ptx__jit_flow_make(&unit->flow, code, runs, shape.row, shape.full) ||
        !ptx__jit_write_function(&unit->text, &unit->flow, shape.kept, &unit->arena,
                                 &unit->addresses))
        return false;
    ptx__jit_write_end(&unit->text, &unit->addresses);
    return !unit->text.text.failed;
}

static struct ptx__machine_code *load(const struct ptx__jit_unit *unit, const void *bytes, size_t n)
{
    return bytes ? ptx__object_load(bytes, n, unit->addresses.list, unit->addresses.n) : NULL;
}

/* Has LLVM compile the text, which is the same in all processes but for what comes here. */
static struct ptx__machine_code *compile_unit(struct ptx__jit_unit *unit,
                                              const struct ptx__kept *kept)
{
    struct ptx__machine_code *machine;
    size_t n = 0;
    void *bytes;

    ptx__jit_write_attributes(&unit->text, ptx__llvm_attributes());
    if (unit->text.typed != ptx__llvm_is_typed())
        return NULL; /* it is not the LLVM that was expected */
    bytes = ptx__llvm_compile(unit->text.text.text, unit->text.text.length, &n);
    machine = load(unit, bytes, n);
    if (machine)
        ptx__keep_add(kept, bytes, n);
    free(bytes);
    return machine;
}

static void tell(const struct ptx__jit_unit *unit, const char *how, uint64_t begin)
{
    cushim__log(CUSHIM_LOG_DEBUG, "mock: '%s', for %s: %s in %.1f ms", unit->name,
                unit->full ? "warps whose threads take one way" : "threads that part", how,
                (double) (cushim__now_ns() - begin) * 1e-6);
}

struct ptx__machine_code *ptx__jit_unit_make(struct ptx__jit_unit *unit, bool only_look)
{
    const uint64_t begin = cushim__now_ns();
    struct ptx__machine_code *machine;
    struct ptx__kept kept;
    size_t n = 0;
    void *bytes;

    if (!ptx__jit_has_executable_memory()) {
        ptx__jit_tell("this process cannot make memory executable");
        return NULL;
    }
    ptx__keep_open(&kept, unit->text.text.text, unit->text.text.length);
    bytes = ptx__keep_find(&kept, &n);
    machine = load(unit, bytes, n);
    free(bytes);
    if (machine)
        tell(unit, "taken from CUSHIM_CACHE", begin);
    else if (!only_look && (machine = compile_unit(unit, &kept)))
        tell(unit, "compiled", begin);
    ptx__keep_close(&kept);
    return machine;
}
