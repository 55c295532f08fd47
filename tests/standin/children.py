# SPDX-License-Identifier: MIT
"""Launches the kernels of children.cu, each in a process of its own, and prints how each ends and what it writes.

children.py IMAGE [LIBCUDA]     prints rows as children.tsv has them
"""
import ctypes
import os
import sys

# The kernel, its blocks and threads, its argument, and how many words it writes.
KERNELS = [("basic", 1, 32, 0, 2), ("every_thread", 2, 32, 0, 1), ("order", 1, 1, 0, 7), ("shared_bytes", 1, 1, 0, 65),
           ("wrong", 1, 1, 0, 13), ("last_error", 1, 4, 0, 4), ("handles", 1, 1, 0, 18), ("streams", 1, 1, 0, 11),
           ("of_the_device", 1, 1, 0, 23), ("memory", 1, 1, 0, 7), ("of_kernels", 1, 1, 0, 12), ("words", 1, 1, 0, 3),
           ("copies", 1, 1, 0, 24), ("deep", 1, 1, 25, 2), ("deep", 1, 1, 100, 2), ("tails", 1, 1, 200, 2),
           ("many", 1, 1, 2049, 2), ("many", 1, 1, 5000, 2), ("wild_child", 1, 1, 0, 0),
           ("child_that_traps", 1, 1, 0, 0), ("every_block", 8, 32, 0, 1)]


def ask(cuda, image, name, blocks, threads, argument, n):
    def call(function, *arguments):
        result = getattr(cuda, function)(*arguments)
        assert result == 0, (function, result)

    context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
    words, value, size = (ctypes.c_int * 128)(), ctypes.c_int(argument), ctypes.c_size_t(512)
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), image)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
    call("cuMemAlloc_v2", ctypes.byref(memory), size)
    call("cuMemsetD8_v2", memory, 0, size)
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(value))
    call("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, 0, None, arguments, None)
    result = cuda.cuCtxSynchronize()
    if not result:
        call("cuMemcpyDtoH_v2", words, memory, size)
    print(name, argument, result, " ".join(map(str, words[:n])), sep="\t", flush=True)


def main():
    with open(sys.argv[1], "rb") as file:
        image = file.read()
    for row in KERNELS:
        child = os.fork()
        if not child:
            ask(ctypes.CDLL(sys.argv[2] if sys.argv[2:] else "libcuda.so.1"), image, *row)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, row


if __name__ == "__main__":
    main()
