# SPDX-License-Identifier: MIT
"""Runs saxpy through ctypes, by the functions of docs/bindings.md alone, and checks the layouts there.

    saxpy.py LIBRARY DRIVER
"""
import ctypes as c
import sys


class View(c.Structure):
    _fields_ = [("object", c.c_uint64), ("offset", c.c_size_t), ("length", c.c_size_t),
                ("element", c.c_size_t), ("writable", c.c_bool), ("type", c.c_ubyte),
                ("reserved", c.c_ubyte * 6)]


class Argument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("intent", c.c_int), ("bytes", c.c_size_t),
                ("value", c.c_void_p), ("view", View)]


class Config(c.Structure):
    _fields_ = [("size", c.c_size_t), ("grid", c.c_uint * 3), ("block", c.c_uint * 3),
                ("shared_bytes", c.c_size_t), ("elements", c.c_size_t), ("options", c.c_void_p)]


class OpenParams(c.Structure):
    _fields_ = [("size", c.c_size_t), ("library", c.c_char_p), ("resolver", c.c_void_p),
                ("resolver_user", c.c_void_p), ("load_only", c.c_bool), ("label", c.c_char_p)]


FLOAT = 4 + (1 << 57)
PTX = b"""
.version 7.0
.target sm_52
.address_size 64
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 n)
{
    .reg .f32 %f<4>; .reg .b64 %d<8>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.f32 %f0, [a]; ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; ld.param.u64 %d2, [n];
    mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
    mad.lo.u32 %r0, %r0, %r1, %r2; cvt.u64.u32 %d3, %r0;
    setp.ge.u64 %p, %d3, %d2; @%p ret;
    shl.b64 %d3, %d3, 2; add.u64 %d0, %d0, %d3; add.u64 %d1, %d1, %d3;
    ld.global.f32 %f1, [%d0]; ld.global.f32 %f2, [%d1];
    fma.rn.f32 %f2, %f0, %f1, %f2; st.global.f32 [%d1], %f2;
    ret;
}
"""


class Cushim:
    """Calls cushim_NAME(). Numbers become 64-bit arguments; a status that is not 0 raises."""

    def __init__(self, path):
        self.library = c.CDLL(path)
        self.library.cushim_error_text.restype = c.c_char_p

    def __call__(self, name, *arguments):
        whole = [c.c_uint64(a) if isinstance(a, int) else a for a in arguments]
        status = getattr(self.library, "cushim_" + name)(*whole)
        if status:
            raise RuntimeError(self.library.cushim_error_text().decode())

    def make(self, name, *arguments):
        """Calls a function whose output is a handle."""
        handle = c.c_uint64()
        self(name, *arguments, c.byref(handle))
        return handle.value

    def view(self, handle):
        view = View()
        self("view_whole", handle, c.byref(view))
        return view

    def free(self, name, handle):
        number = c.c_uint64(handle)
        getattr(self.library, f"cushim_{name}")(c.byref(number))
        assert number.value == 0


def value(name, number):
    return Argument(name, 0, c.sizeof(number), c.cast(c.pointer(number), c.c_void_p))


def main(library, driver_name):
    cushim = Cushim(library)
    n = 1000
    floats = c.c_float * n
    x, y, got = floats(*range(n)), floats(*([1] * n)), floats()

    params = OpenParams(size=c.sizeof(OpenParams), library=driver_name.encode())
    driver = cushim.make("open", c.byref(params))
    context = cushim.make("context_primary", driver, 0)
    stream = cushim.make("stream_new", context, None)
    module = cushim.make("module_load_text", context, c.c_char_p(PTX), None)
    saxpy = cushim.make("module_function", module, c.c_char_p(b"saxpy"))
    dx = cushim.make("slice_from_host", stream, x, FLOAT, n)
    dy = cushim.make("slice_from_host", stream, y, FLOAT, n)
    kept = cushim.make("handle_retain", dy)

    a, length = c.c_float(2), c.c_size_t(n)
    arguments = (Argument * 4)(
        value(b"a", a), Argument(b"x", 1, 8, None, cushim.view(dx)),
        Argument(b"y", 3, 8, None, cushim.view(dy)), value(b"n", length))
    config = Config(size=c.sizeof(Config), elements=n)
    cushim("launch_arguments", stream, saxpy, c.byref(config), arguments, 4)
    cushim.free("slice_free", dy)
    cushim("view_read", stream, cushim.view(kept), got, FLOAT, n)
    wrong = sum(got[i] != 2 * i + 1 for i in range(n))

    # A mistake has a sentence here, too.
    try:
        cushim("view_read", stream, cushim.view(kept), got, 4 + (1 << 56), n)
        said = "nothing"
    except RuntimeError as error:
        said = str(error)
    for name, handle in (("slice_free", kept), ("slice_free", dx), ("module_free", module),
                         ("stream_free", stream), ("context_free", context), ("close", driver)):
        cushim.free(name, handle)
    print(f"{wrong} of {n} results are wrong; a mistake says: {said}")
    return bool(wrong) or "(integer) here" not in said


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
