/* SPDX-License-Identifier: MIT */
/* How makers and destroyers are written. */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_MAKE_H
#define CUSHIM_TESTS_DRIVER_SWEEP_MAKE_H

#include "objects.h"

/* MAKE(type, destroy, name, arguments): calls the driver with `&object`, and answers it. */
#define MAKE(type, destroy, name, arguments)                                                       \
    type object = 0;                                                                               \
                                                                                                   \
    if (!made(CALL(name, arguments)))                                                              \
        return 0;                                                                                  \
    later(destroy, (uint64_t) object);                                                             \
    return (uint64_t) object

#define DESTROY(function, type, name)                                                              \
    void function(uint64_t handle)                                                                 \
    {                                                                                              \
        CALL(name, ((type) handle));                                                               \
    }

#endif
