# The GoogleTest programs, run through lit.
import os

import lit.formats

config.name = "CompressUnit"
config.suffixes = []
config.test_source_root = os.path.join(config.compress_obj_root, "test", "Unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
