#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes calls of one library of NVRTC, and prints what each of them answers: the same for every one
that compiles, or answers, the same programs.

nvrtc_calls.py LIBRARY [NUMBER]

With a number: compiles one program whose source has this number in it.
"""

import ctypes
import hashlib
import os
import sys

LIBRARY = sys.argv[1]
BUILTINS = os.environ.get("NVRTC_BUILTINS")
if BUILTINS:
    ctypes.CDLL(BUILTINS)
rtc = ctypes.CDLL(LIBRARY)
rtc.nvrtcGetErrorString.restype = ctypes.c_char_p
BLOBS = ["ProgramLog", "PTX", "CUBIN", "LTOIR", "OptiXIR"]


def blob(program, kind):
    size = ctypes.c_size_t(77)
    result = getattr(rtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value + 1)
    again = getattr(rtc, f"nvrtcGet{kind}")(program, data)
    return result, again, size.value, hashlib.sha256(data.raw[:size.value]).hexdigest()[:12]


def array(texts):
    return (ctypes.c_char_p * max(1, len(texts)))(*[t.encode() for t in texts])


def compile(source, name="k.cu", options=(), headers=(), expressions=(), quiet=False):
    program = ctypes.c_void_p()
    said = [rtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name and name.encode(), len(headers),
                                   array([h[1] for h in headers]), array([h[0] for h in headers]))]
    said += [rtc.nvrtcAddNameExpression(program, e.encode()) for e in expressions]
    said.append(blob(program, "PTX")[:3])
    said.append(rtc.nvrtcCompileProgram(program, len(options), array(options)))
    said += [blob(program, kind) for kind in BLOBS]
    for expression in [*expressions, "absent"]:
        lowered = ctypes.c_char_p()
        said.append((rtc.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(lowered)), lowered.value))
    said.append(rtc.nvrtcDestroyProgram(ctypes.byref(program)))
    said.append(program.value)
    print(*said)


def version():
    major, minor, n = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    print(rtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), major.value, minor.value)
    print(rtc.nvrtcGetNumSupportedArchs(ctypes.byref(n)), n.value)
    archs = (ctypes.c_int * n.value)()
    print(rtc.nvrtcGetSupportedArchs(archs), list(archs))


def misuse():
    program = ctypes.c_void_p()
    size = ctypes.c_size_t()
    print(rtc.nvrtcVersion(None, None), rtc.nvrtcGetNumSupportedArchs(None), rtc.nvrtcGetSupportedArchs(None))
    print(rtc.nvrtcCreateProgram(None, b"", None, 0, None, None), rtc.nvrtcDestroyProgram(None))
    print(rtc.nvrtcCompileProgram(None, 0, None), rtc.nvrtcAddNameExpression(None, b"k"))
    print(rtc.nvrtcGetPTXSize(None, ctypes.byref(size)), rtc.nvrtcGetProgramLog(None, None))
    print(rtc.nvrtcCreateProgram(ctypes.byref(program), b"", None, 0, None, None))
    print(rtc.nvrtcGetPTXSize(program, None), rtc.nvrtcAddNameExpression(program, None))
    print([rtc.nvrtcGetErrorString(i).decode() for i in range(13)])


KERNEL = 'extern "C" __global__ void k(float *x) { *x = 1; }'

if len(sys.argv) > 2:
    compile(KERNEL.replace("1", sys.argv[2]), name=f"k{sys.argv[2]}.cu")
    sys.exit(0)
version()
misuse()
compile(KERNEL)
compile(KERNEL, name=None)
compile(KERNEL, options=["-arch=sm_90"])
compile(KERNEL, options=["--gpu-architecture=compute_90", "-dlto"])
compile(KERNEL, options=["--there-is-none"])
compile("what is this")
compile("static __device__ int f() { return 1; }\n" + KERNEL)
compile('#include "v.h"\n' + KERNEL.replace("1", "V"), headers=[("v.h", "#define V 3\n")])
compile('#include "v.h"\n' + KERNEL.replace("1", "V"), headers=[("v.h", "#define V 4\n")])
compile("template <class T> __global__ void t(T *x) { *x = 1; }", expressions=["t<int>", "t<double>"])
compile("template <class T> __global__ void t(T *x) { *x = 1; }", expressions=["nothing<int>"])
compile('#include "on_disk.h"\n' + KERNEL.replace("1", "ON_DISK"), options=["-I", "include"])
compile('#include "on_disk.h"\n' + KERNEL.replace("1", "ON_DISK"), options=["--include-path=include"])
compile('extern "C" __global__ void größe() {}')
