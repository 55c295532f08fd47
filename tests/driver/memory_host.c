/* SPDX-License-Identifier: MIT */
/* Memory of the host, and what the driver says of an address. */
#include <stdlib.h>

#include "memory.h"

static void *ask_alloc_host(char *buffer)
{
    CUdeviceptr device = 0;
    unsigned flags = 0;
    void *host = NULL;

    ASK("hostalloc0", cuMemAllocHost_v2, (&host, 0));
    ASK("hostalloc", cuMemAllocHost_v2, (&host, 100));
    report("host_align4096", (long long) ((uintptr_t) host % 4096));
    ASK("host_devptr", cuMemHostGetDevicePointer_v2, (&device, host, 0));
    report("host_devptr_same", device == (uintptr_t) host);
    ASK("host_flags", cuMemHostGetFlags, (&flags, host));
    report("host_flags_v", flags);
    ASK("host_devptr_bad", cuMemHostGetDevicePointer_v2, (&device, buffer, 0));
    return host;
}

/* The key, and the value under key_v unless that is NULL. */
static void ask_attribute(const char *key, const char *value_key, CUpointer_attribute attribute,
                          CUdeviceptr address, int mask)
{
    int value = 0;

    ASK(key, cuPointerGetAttribute, (&value, attribute, address));
    if (value_key)
        report(value_key, value & mask);
}

static void ask_attributes(CUdeviceptr p, void *host, char *buffer)
{
    ask_attribute("host_attr_type", "host_attr_type_v", CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                  (uintptr_t) host, -1);
    ask_attribute("dev_attr_type", "dev_attr_type_v", CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p, -1);
    ask_attribute("pageable_attr_type", NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t) buffer,
                  -1);
    /* A single byte is written. */
    ask_attribute("dev_attr_managed", "dev_attr_managed_v", CU_POINTER_ATTRIBUTE_IS_MANAGED, p, 1);
    ask_attribute("dev_attr_ordinal", "dev_attr_ordinal_v", CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p,
                  -1);
}

static void ask_free_host(void *host, char *buffer)
{
    ASK("hostfree", cuMemFreeHost, (host));
    ASK("hostfree_twice", cuMemFreeHost, (host));
    ASK("hostfree_null", cuMemFreeHost, (NULL));
    ASK("hostfree_stack", cuMemFreeHost, (buffer));
}

static void ask_register(void)
{
    void *pages = aligned_alloc(4096, 8192), *host = NULL;

    ASK("hostreg", cuMemHostRegister_v2, (pages, 8192, 0));
    ASK("hostreg_twice", cuMemHostRegister_v2, (pages, 8192, 0));
    ASK("hostunreg", cuMemHostUnregister, (pages));
    ASK("hostunreg_twice", cuMemHostUnregister, (pages));
    ASK("hostreg_badflags", cuMemHostRegister_v2, (pages, 8192, 0xff00));
    ASK("hostalloc_badflags", cuMemHostAlloc, (&host, 64, 0xff00));
    free(pages);
}

void ask_host_memory(CUdeviceptr p, char *buffer)
{
    void *host = ask_alloc_host(buffer);

    ask_attributes(p, host, buffer);
    ask_free_host(host, buffer);
    ask_register();
}
