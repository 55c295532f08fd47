/* SPDX-License-Identifier: MIT */
/*
 * Properties of the driver's devices. Nothing here creates a context. So this needs no device
 * memory, and works for a device that is in use or reserved.
 */
#ifndef CUSHIM_TOOL_DEVICES_H
#define CUSHIM_TOOL_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/driver.h>

/** A number that may be unknown. */
struct maybe {
    bool known;
    uint64_t value;
};

/** The type of an attribute. */
enum attribute_kind {
    ATTRIBUTE_NUMBER,
    ATTRIBUTE_FLAG,
};

/* The attributes asked for: X(name, CUdevice_attribute, kind, key in JSON or NULL). */
#define ATTRIBUTE_MAP(X)                                                                           \
    X(CAPABILITY_MAJOR, 75, NUMBER, "compute_capability_major")                                    \
    X(CAPABILITY_MINOR, 76, NUMBER, "compute_capability_minor")                                    \
    X(MULTIPROCESSORS, 16, NUMBER, "multiprocessors")                                              \
    X(WARP_SIZE, 10, NUMBER, "warp_size")                                                          \
    X(THREADS_PER_BLOCK, 1, NUMBER, "max_threads_per_block")                                       \
    X(THREADS_PER_MULTIPROCESSOR, 39, NUMBER, "max_threads_per_multiprocessor")                    \
    X(REGISTERS_PER_BLOCK, 12, NUMBER, "max_registers_per_block")                                  \
    X(SHARED_PER_BLOCK, 8, NUMBER, "shared_memory_per_block_bytes")                                \
    X(SHARED_PER_BLOCK_OPTIN, 97, NUMBER, "shared_memory_per_block_optin_bytes")                   \
    X(SHARED_PER_MULTIPROCESSOR, 81, NUMBER, "shared_memory_per_multiprocessor_bytes")             \
    X(L2_CACHE, 38, NUMBER, "l2_cache_bytes")                                                      \
    X(CLOCK, 13, NUMBER, "clock_khz")                                                              \
    X(MEMORY_CLOCK, 36, NUMBER, "memory_clock_khz")                                                \
    X(MEMORY_BUS_WIDTH, 37, NUMBER, "memory_bus_width_bits")                                       \
    X(PCI_DOMAIN, 50, NUMBER, "pci_domain")                                                        \
    X(PCI_BUS, 33, NUMBER, "pci_bus")                                                              \
    X(PCI_DEVICE, 34, NUMBER, "pci_device")                                                        \
    X(COMPUTE_MODE, 20, NUMBER, NULL)                                                              \
    X(INTEGRATED, 18, FLAG, "integrated")                                                          \
    X(TCC, 35, FLAG, "tcc_driver")                                                                 \
    X(ECC, 32, FLAG, "ecc_enabled")                                                                \
    X(UNIFIED_ADDRESSING, 41, FLAG, "unified_addressing")                                          \
    X(MANAGED_MEMORY, 83, FLAG, "managed_memory")                                                  \
    X(CONCURRENT_MANAGED_ACCESS, 89, FLAG, "concurrent_managed_access")                            \
    X(PAGEABLE_MEMORY_ACCESS, 88, FLAG, "pageable_memory_access")                                  \
    X(COOPERATIVE_LAUNCH, 95, FLAG, "cooperative_launch")                                          \
    X(VIRTUAL_MEMORY, 102, FLAG, "virtual_memory_management")                                      \
    X(MEMORY_POOLS, 115, FLAG, "memory_pools")

enum attribute {
#define ATTRIBUTE_ENUM(name, number, kind, key) ATTRIBUTE_##name,
    ATTRIBUTE_MAP(ATTRIBUTE_ENUM)
#undef ATTRIBUTE_ENUM
        N_ATTRIBUTES
};

/** Values of ATTRIBUTE_COMPUTE_MODE: CUcomputemode. */
enum compute_mode {
    COMPUTE_MODE_DEFAULT = 0,
    COMPUTE_MODE_EXCLUSIVE = 1, /* one thread; not used any more */
    COMPUTE_MODE_PROHIBITED = 2,
    COMPUTE_MODE_EXCLUSIVE_PROCESS = 3,
    N_COMPUTE_MODES
};

struct device {
    char name[256]; /* "" if it is unknown */
    char uuid[37];  /* "" if it is unknown */
    struct maybe memory_bytes;
    struct maybe attributes[N_ATTRIBUTES];
    struct maybe *peers; /* whether it can access the memory of each device, including itself */
};

struct devices {
    bool asked; /* there is a driver */
    int result; /* the CUresult of counting the devices */
    struct device *list;
    size_t n;
};

/** Reads the properties of an open driver's devices. Freed with devices_finish(). */
void devices_init(struct devices *devices, cushim_driver driver);
void devices_finish(struct devices *devices);

#endif
