# SPDX-License-Identifier: MIT
"""Loads a module and launches its kernel k: kernel.py TARGET STATEMENTS [FILE]. Prints each result."""
import ctypes
import sys

PTX = """.version 8.7
.target {}
.address_size 64
.visible .entry k(.param .u64 p)
{{
.reg .u64 a; .reg .u32 r; .reg .pred p1;
ld.param.u64 a, [p];
{}
ret;
}}
"""
cuda = ctypes.CDLL("libcuda.so.1")
context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        print(name, result)
        sys.exit(0)


call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
image = open(sys.argv[3], "rb").read() if sys.argv[3:] else PTX.format(*sys.argv[1:3]).encode()
call("cuModuleLoadData", ctypes.byref(module), image)
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(64))
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
call("cuCtxSynchronize")
