/* SPDX-License-Identifier: MIT */
/* Problems by OpenCL on the CPU: PoCL is one. Its library is loaded when it is needed. */
#include "problems.h"

#ifdef HAVE_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EACH_FUNCTION(X)                                                                           \
    X(clGetPlatformIDs)                                                                            \
    X(clGetDeviceIDs)                                                                              \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramBuildInfo)                                                                       \
    X(clCreateKernel)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clSetKernelArg)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)                                                                         \
    X(clFinish)

static struct {
#define FIELD(name) __typeof__(&name) name;
    EACH_FUNCTION(FIELD)
#undef FIELD
} cl;

static cl_command_queue queue;
static cl_kernel kernels[MOST_STEPS];
static cl_mem buffers[MEMORIES];

static void check(cl_int result, const char *what)
{
    if (result == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int) result);
    exit(1);
}

static const char *resolve(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW), *symbol;

    if (!library)
        return "no libOpenCL.so.1";
#define RESOLVE(name)                                                                              \
    if (!(symbol = dlsym(library, #name)))                                                         \
        return "libOpenCL.so.1 has no " #name;                                                     \
    memcpy(&cl.name, &symbol, sizeof(symbol));
    EACH_FUNCTION(RESOLVE)
#undef RESOLVE
    return NULL;
}

static const char *find_cpu(cl_device_id *ret_device)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;

    if (cl.clGetPlatformIDs(16, platforms, &n) || n > 16)
        n = 0;
    for (cl_uint i = 0; i < n; i++)
        if (!cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, ret_device, NULL))
            return NULL;
    return "no platform of OpenCL has this CPU";
}

static cl_program build(cl_context context, cl_device_id device, const char *source)
{
    cl_int result;
    cl_program program = cl.clCreateProgramWithSource(context, 1, &source, NULL, &result);
    static char log[16384];

    check(result, "clCreateProgramWithSource");
    result = cl.clBuildProgram(program, 1, &device, "-cl-fast-relaxed-math", NULL, NULL);
    if (result && !cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1,
                                            log, NULL))
        fprintf(stderr, "%s\n", log);
    check(result, "clBuildProgram");
    return program;
}

static void make_kernel(cl_program program, const struct step *step, cl_kernel *ret_kernel)
{
    cl_int result;

    *ret_kernel = cl.clCreateKernel(program, step->kernel, &result);
    check(result, step->kernel);
    for (cl_uint i = 0; i < MEMORIES; i++)
        check(cl.clSetKernelArg(*ret_kernel, i, sizeof(buffers[i]), &buffers[i]), "clSetKernelArg");
    check(cl.clSetKernelArg(*ret_kernel, MEMORIES, sizeof(step->n), &step->n), "clSetKernelArg");
}

static const char *begin(const struct problem *problem, const char *source, struct memories *m)
{
    cl_device_id device;
    const char *reason = resolve();
    cl_context context;
    cl_program program;
    cl_int result;

    if (reason || (reason = find_cpu(&device)))
        return reason;
    context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    check(result, "clCreateContext");
    queue = cl.clCreateCommandQueue(context, device, 0, &result);
    check(result, "clCreateCommandQueue");
    for (int i = 0; i < MEMORIES; i++) {
        buffers[i] = cl.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       problem->count[i] * sizeof(float), m->m[i], &result);
        check(result, "clCreateBuffer");
    }
    program = build(context, device, source);
    for (int i = 0; i < MOST_STEPS && problem->steps[i].kernel; i++)
        make_kernel(program, &problem->steps[i], &kernels[i]);
    return NULL;
}

static void launch(const struct problem *problem)
{
    for (int i = 0; i < MOST_STEPS && problem->steps[i].kernel; i++) {
        const struct step *step = &problem->steps[i];
        size_t threads[3], block[3];

        for (int axis = 0; axis < 3; axis++) {
            block[axis] = step->block[axis];
            threads[axis] = (size_t) step->grid[axis] * step->block[axis];
        }
        check(cl.clEnqueueNDRangeKernel(queue, kernels[i], 3, NULL, threads, block, 0, NULL, NULL),
              step->kernel);
    }
    check(cl.clFinish(queue), "clFinish");
}

static void read(const struct problem *problem, struct memories *m)
{
    for (int i = 0; i < MEMORIES; i++)
        check(cl.clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0,
                                     problem->count[i] * sizeof(float), m->m[i], 0, NULL, NULL),
              "clEnqueueReadBuffer");
}

const struct way way_opencl = {begin, launch, read};

#else

static const char *begin(const struct problem *problem, const char *source, struct memories *m)
{
    (void) problem;
    (void) source;
    (void) m;
    return "built without CL/cl.h";
}

const struct way way_opencl = {.begin = begin};

#endif
