# SPDX-License-Identifier: MIT
"""A program of the driver that makes the mistakes that its words name, and ends as they say.

program.py [oob] [leak] [child] [label] [close | null] [_exit | kill | abort | wait | exec]
"""
import ctypes
import os
import signal
import subprocess
import sys


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    assert result == 0, (name, result)


def make_mistakes(words):
    context, memory = ctypes.c_void_p(), ctypes.c_uint64()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuMemAlloc_v2", ctypes.byref(memory), 64)
    if "oob" in words:
        assert cuda.cuMemcpyHtoD_v2(memory, b"x" * 65, 65) == 1
    if "leak" not in words:
        call("cuMemFree_v2", memory)
        call("cuDevicePrimaryCtxRelease_v2", 0)


def end(words):
    sys.stdout.flush()
    if "close" in words:
        os.closerange(0, 100)
    if "null" in words:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    if "_exit" in words:
        os._exit(5)
    if "kill" in words:
        os.kill(os.getpid(), signal.SIGKILL)
    if "abort" in words:
        os.abort()
    if "exec" in words:
        os.execvp("true", ["true"])
    if "wait" in words:
        print("ready", flush=True)
        signal.pause()
    sys.exit(4 if "four" in words else 0)


words = sys.argv[1:]
if "child" in words:
    words.remove("child")
    subprocess.run([sys.executable, __file__, *words])
    words = []
cuda = ctypes.CDLL("libcuda.so.1")
make_mistakes(words)
end(words)
