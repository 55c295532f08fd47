# SPDX-License-Identifier: MIT
"""The programs that tools/programs installs and runs, and in which versions."""
import dataclasses
import os

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBA = [
    "cudadrv.test_array_attr", "cudadrv.test_cuda_array_slicing", "cudadrv.test_cuda_driver",
    "cudadrv.test_cuda_memory", "cudadrv.test_cuda_ndarray", "cudadrv.test_events", "cudadrv.test_linker",
    "cudadrv.test_managed_alloc", "cudapy.test_atomics", "cudapy.test_blackscholes", "cudapy.test_boolean",
    "cudapy.test_casting",
    "cudapy.test_complex", "cudapy.test_constmem", "cudapy.test_cooperative_groups", "cudapy.test_device_func",
    "cudapy.test_dispatcher", "cudapy.test_intrinsics", "cudapy.test_math", "cudapy.test_operator",
    "cudapy.test_print", "cudapy.test_reduction", "cudapy.test_slicing", "cudapy.test_sm", "cudapy.test_warp_ops",
]
TINYGRAD = [
    "test_tiny", "test_uops", "test_setitem", "test_assign", "test_symbolic_jit", "test_const_folding",
    "test_graph", "test_subbuffer", "test_pickle", "test_image_dtype", "test_fusion_op", "test_tensor_variable",
    "test_custom_kernel", "test_rangeify", "test_softmax_fusion", "test_linearizer", "test_renderer_failures",
]


@dataclasses.dataclass
class Program:
    """Words in capitals stand for folders: WHEELS has NVIDIA's libraries as pip installs them, MOCK has libcuda, and
    TESTS has what was unpacked of the source package."""
    packages: list                      # what pip installs; the first is the program itself
    title: str                          # what is run
    parts: list                         # modules and files of tests; each runs in a process of its own
    pytest: bool = False                # they are pytest's, and not unittest's
    settings: dict = dataclasses.field(default_factory=dict)
    sources: str = ""                   # a source package that has the tests, as pip names it
    copies: dict = dataclasses.field(default_factory=dict)  # more files for TESTS: where to, and from where
    links: dict = dataclasses.field(default_factory=dict)   # the same for links, also at other places
    before: list = dataclasses.field(default_factory=list)  # what pip installs first, for a program that it builds
    build: dict = dataclasses.field(default_factory=dict)   # settings of that build
    needed: str = ""                    # which of the settings a user has to make, too
    stage: int = 0                      # how many of the parts the stage `programs` of tools/check runs


def samples(name, *packages, **settings):
    return Program(list(packages), "samples", [os.path.join(HERE, f"{name}_samples.py")],
                   settings=settings, stage=1)


PROGRAMS = {
    "numba": Program(["numba-cuda[cu13]==0.30.4", "numba==0.68.1", "cuda-bindings==13.5.0", "cuda-core==1.2.2",
                      "cuda-toolkit==13.5.0", "filecheck==1.0.6", "psutil==7.2.2", "cffi==2.1.1", "pytest==9.2.0"],
                     f"{len(NUMBA)} of its own test modules", ["numba.cuda.tests." + name for name in NUMBA],
                     stage=len(NUMBA)),
    "core": samples("cuda_core", "cuda-core[cu13]==1.2.2", "cuda-bindings==13.5.0", "cuda-toolkit[nvrtc]==13.5.0",
                    "nvidia-nvjitlink==13.5.37", "numpy==2.4.6"),
    "warp": samples("warp", "warp-lang==1.19.0", "numpy==2.4.6"),
    "cupy": samples("cupy", "cupy-cuda13x==14.2.0", "numpy==2.4.6", "nvidia-cuda-nvrtc==13.0.88",
                    "nvidia-cuda-runtime==13.0.96"),
    "taichi": samples("taichi", "taichi==1.7.4", "numpy==1.26.4", "setuptools==65.5.0"),
    "drjit": samples("drjit", "drjit==1.5.0", "numpy==2.4.6"),
    "halide": samples("halide", "halide==21.0.0", "numpy==2.4.6"),
    "tinygrad": samples("tinygrad", "tinygrad==0.14.0", "numpy==2.4.6", "nvidia-cuda-nvrtc==13.0.88", DEV="CUDA",
                        CUSHIM_NVRTC_REAL="WHEELS/cu13/lib/libnvrtc.so.13"),
    # The last version whose source package has its tests.
    "tinygrad-tests": Program(["tinygrad==0.12.0", "numpy==2.4.6", "hypothesis==6.151.0", "nvidia-cuda-nvrtc==13.0.88",
                               "nvidia-cuda-runtime==13.0.96", "pytest==9.2.0"],
                              f"{len(TINYGRAD)} of its own test modules", ["test." + name for name in TINYGRAD],
                              False,
                              dict(DEV="CUDA", CUDA_PATH="TESTS/cuda", NVRTC_PATH="MOCK/toolkit/libnvrtc.so.13",
                                   CUSHIM_NVRTC_REAL="WHEELS/cu13/lib/libnvrtc.so.13", PYTHONPATH="TESTS:PYTHONPATH"),
                              sources="tinygrad==0.12.0",
                              copies={"test/helpers.py": os.path.join(HERE, "tinygrad_helpers.py"),
                                      "test/__init__.py": os.devnull},
                              links={"cuda/libcuda.so.1": "MOCK/libcuda.so.1", "cuda/include": "WHEELS/cu13/include"},
                              needed="`DEV=CUDA`, `CUDA_PATH`, `NVRTC_PATH`: it looks in places of its own",
                              stage=len(TINYGRAD)),
    "triton": samples("triton", "triton==3.9.0", "cuda-bindings==13.5.0", "numpy==2.4.6"),
    # Without the generators of random numbers, which begin with minutes of arithmetic, and arrays of many GiB.
    "pycuda": Program(["pycuda==2026.1"], "3 of its own test modules",
                      [f"TESTS/test/test_{name}.py" for name in ("driver", "gpuarray", "cumath")], True,
                      dict(PATH="WHEELS/cu13/bin:PATH", PYTEST_ADDOPTS="-k 'not curand and not random and not big'"),
                      sources="pycuda==2026.1",
                      before=["numpy==2.4.6", "pytest==9.2.0", "nvidia-cuda-nvcc==13.5.37",
                              "nvidia-cuda-runtime==13.5.37", "nvidia-cuda-crt==13.5.37", "nvidia-curand==10.4.5.25",
                              "nvidia-nvvm==13.5.37"],
                      build=dict(PATH="WHEELS/cu13/bin:PATH", CUDA_ROOT="WHEELS/cu13", CFLAGS="-O0",
                                 LDFLAGS="-Wl,--no-as-needed -LSTUBS -LWHEELS/cu13/lib"),  # the stub has no functions
                      # Where it looks for libcudadevrt.a, as in a toolkit.
                      links={"WHEELS/cu13/lib64": "WHEELS/cu13/lib"},
                      needed="nvcc in the `PATH`; beside the wheels' `lib` a link to it, `lib64`; `-Wl,--no-as-needed` "
                             "where libcuda is a stub"),
}
