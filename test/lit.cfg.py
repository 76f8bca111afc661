# The lit suite: one folder for each folder of include/ and lib/, and
# Integration/ (executed code), Tools/, Plugin/.
import ctypes
import os
import platform
import shutil

import lit.formats
from lit.llvm import llvm_config

config.name = "Compress"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.compress_obj_root, "test")

tools_dir = os.path.join(config.compress_obj_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "CCACHE_DIR", "HOME"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

config.substitutions += [
    ("%src_root", config.compress_src_root),
    ("%obj_root", config.compress_obj_root),
    ("%plugin", os.path.join(config.compress_obj_root, "lib", "CompressPlugin.so")),
    ("%mlir_lib_dir", config.llvm_lib_dir),
    ("%cmake", config.cmake_command),
    ("%cxx", config.cxx_compiler),
    ("%cc", config.c_compiler),
    ("%python", "/usr/bin/python3"),
    ("%stock_opt", os.path.join(config.llvm_tools_dir, "mlir-opt")),
    ("%stock_translate", os.path.join(config.llvm_tools_dir, "mlir-translate")),
    ("%stock_llc", os.path.join(config.llvm_tools_dir, "llc")),
]

if config.sanitizer:
    config.available_features.add("sanitizer")
if config.fuzzers:
    config.available_features.add("fuzzers")
for cuda in (shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"):
    if cuda and os.path.exists(cuda):
        config.available_features.add("ptxas")
        config.substitutions.append(("%ptxas", cuda))
        break
if os.path.exists(os.path.join(tools_dir, "compress-bench-xnnpack")):
    config.available_features.add("xnnpack")
for openmp in ("libomp.so.5", "libomp.so"):
    try:
        ctypes.CDLL(openmp)
        config.available_features.add("openmp")
        break
    except OSError:
        pass
try:
    with open("/proc/cpuinfo") as cpuinfo:
        flags = next((l for l in cpuinfo if l.startswith("flags")), "").split()
except OSError:
    flags = []
for flag in ("avx2", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "gfni"):
    if flag in flags:
        config.available_features.add(flag)
config.available_features.add(platform.machine())
