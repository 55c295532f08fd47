#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that knows nothing of cushim: it opens libcuda and a compiler by their paths, and runs what that made.

program.py FOLDER link|compile|lto|assemble|load

`load` takes the file `out` of the folder as it is.
It prints "right". The exit status is 77 after a reason if a real compiler is missing.
"""

import ctypes
import subprocess
import sys

FOLDER, WHAT = sys.argv[1:]
DEVICE = "sm_90"
STORES = """.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) seven();
.visible .entry store(.param .u64 p)
{
    .reg .u64 %d; .reg .b32 %v;
    ld.param.u64 %d, [p];
    call (%v), seven;
    st.global.u32 [%d], %v;
    ret;
}
"""
SEVEN = """.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 r) seven() { st.param.b32 [r], 7; ret; }
"""
SOURCE = 'extern "C" __global__ void store(int *p) { *p = 7; }'
SOURCE_LTO = 'extern "C" __device__ int seven(); extern "C" __global__ void store(int *p) { *p = seven(); }'
SEVEN_LTO = 'extern "C" __device__ int seven() { return 7; }'


def check(result, what="a call"):
    if result:
        sys.exit(f"{what}: {result}")


def need(result, what):
    if result:
        print(what)
        sys.exit(77)


def read(library, name, handle):
    size = ctypes.c_size_t()
    check(getattr(library, name + "Size")(handle, ctypes.byref(size)), name + "Size")
    data = ctypes.create_string_buffer(size.value)
    check(getattr(library, name)(handle, data), name)
    return data.raw


def words(*texts):
    return (ctypes.c_char_p * len(texts))(*[t.encode() for t in texts])


def link(inputs, *options):
    library = ctypes.CDLL(f"{FOLDER}/libnvJitLink.so.13")
    handle = ctypes.c_void_p()
    check(library.nvJitLinkCreate(ctypes.byref(handle), 1 + len(options), words(f"-arch={DEVICE}", *options)))
    for kind, data in inputs:
        result = library.nvJitLinkAddData(handle, kind, data, ctypes.c_size_t(len(data)), b"input")
        if result:
            size = ctypes.c_size_t()
            library.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value + 1)
            library.nvJitLinkGetErrorLog(handle, log)
            need(b"no usable nvJitLink" in log.value or b"is this library" in log.value, log.value.decode())
            sys.exit(f"AddData: {result}: {log.value.decode()}")
    check(library.nvJitLinkComplete(handle), "nvJitLinkComplete")
    image = read(library, "nvJitLinkGetLinkedCubin", handle)
    check(library.nvJitLinkDestroy(ctypes.byref(handle)))
    return image


def compile_(source, what, *options):
    library = ctypes.CDLL(f"{FOLDER}/libnvrtc.so.13")
    major, minor, program = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
    need(library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), "there is no NVRTC")
    check(library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None))
    check(library.nvrtcCompileProgram(program, 1 + len(options), words(f"-arch={DEVICE}", *options)))
    return read(library, "nvrtcGet" + what, program)


def assemble():
    with open(f"{FOLDER}/in.ptx", "w") as file:
        file.write(STORES.replace(".extern .func (.param .b32 r) seven();", SEVEN.split("64\n", 1)[1]))
    subprocess.run([f"{FOLDER}/ptxas", f"-arch={DEVICE}", "-v", f"{FOLDER}/in.ptx", "-o", f"{FOLDER}/out"], check=True,
                   stderr=subprocess.DEVNULL)
    return made()


def made():
    with open(f"{FOLDER}/out", "rb") as file:
        return file.read()


def image():
    if WHAT == "link":
        return link([(2, STORES.encode()), (2, SEVEN.encode())])
    if WHAT == "compile":
        return compile_(SOURCE, "CUBIN")
    if WHAT == "lto":
        return link([(3, compile_(s, "LTOIR", "-dlto", "-rdc=true")) for s in (SOURCE_LTO, SEVEN_LTO)], "-lto")
    return assemble() if WHAT == "assemble" else made()


def run(code):
    cuda = ctypes.CDLL(f"{FOLDER}/libcuda.so.1")
    context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
    value = ctypes.c_int()
    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    check(cuda.cuModuleLoadData(ctypes.byref(module), code), "cuModuleLoadData")
    check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"store"))
    check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4)))
    arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(memory), ctypes.c_void_p))
    check(cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None))
    check(cuda.cuMemcpyDtoH_v2(ctypes.byref(value), memory, ctypes.c_size_t(4)))
    return value.value


print("right" if run(image()) == 7 else "wrong")
