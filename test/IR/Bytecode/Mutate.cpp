//===- Mutate.cpp - Parses damaged modules --------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// compress-mutate <file> <count> <seed> [<prefix>]
//
// Damages a module in `count` ways and reads each one: in bytecode one byte is
// changed, byte i mod size by mutation i, so that every byte has its turn; in
// text one token is deleted, doubled or replaced. Each module must be refused
// with an error, or be legal or refused by the rules of the dialect; then it is
// printed, written and canonicalized. Each is read in a process of its own, so
// that a crash or a hang is known by its number and harms no other.
//
// The bytecode reader of MLIR itself is not robust. On files without our
// dialect a section with corrupt counts makes it write out of bounds, a type
// that contains itself keeps it busy for ever, a dense constant of an illegal
// type crashes it, and some files it refuses without a word. What happens while
// none of our functions runs is therefore listed, but not counted as a failure.
// Modules that fail in our code are kept as <prefix><number>.
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "compress/IR/EncodingRules.h"
#include "compress/Pipelines/Registration.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <dlfcn.h>
#include <execinfo.h>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace {

enum Outcome { Refused, RefusedByRules, Legal, Silent, NumOutcomes };

/// What a child leaves behind, in shared memory.
struct Report {
  Outcome outcome;
  /// After a signal: whether a function of ours was running.
  bool ours;
};

/// Enough for the slowest machine and a sanitizer; a hang is far longer.
constexpr unsigned kSecondsPerMutation = 10;
class Mutator {
public:
  Mutator(StringRef original, uint64_t seed) : original(original), seed(seed) {
    if (!isBytecode(llvm::MemoryBufferRef(original, "original")))
      tokenize();
  }

  /// The module with damage number `index`.
  std::string mutate(uint64_t index) const {
    std::mt19937_64 random(seed * 1000003 + index);
    return tokens.empty() ? changeByte(index, random) : changeToken(random);
  }

private:
  void tokenize();
  std::string changeByte(uint64_t index, std::mt19937_64 &random) const;
  std::string changeToken(std::mt19937_64 &random) const;

  StringRef original;
  uint64_t seed;
  /// Of text only.
  SmallVector<StringRef> tokens;
};

} // namespace

/// Words, numbers and single other characters.
void Mutator::tokenize() {
  StringRef rest = original;
  while (!(rest = rest.ltrim()).empty()) {
    size_t length = rest.find_if_not([](char c) {
      return llvm::isAlnum(c) || StringRef("_.$#%@!").contains(c);
    });
    if (length == StringRef::npos)
      length = rest.size();
    tokens.push_back(rest.take_front(std::max<size_t>(length, 1)));
    rest = rest.drop_front(tokens.back().size());
  }
}

std::string Mutator::changeByte(uint64_t index, std::mt19937_64 &random) const {
  std::string result = original.str();
  result[index % result.size()] ^= static_cast<char>(1 + random() % 255);
  return result;
}

std::string Mutator::changeToken(std::mt19937_64 &random) const {
  // What parsers trip over, beside the tokens of the file itself.
  static constexpr StringLiteral kOther[] = {
      "-1",   "0",     "99999999999999999999",
      "*",    "?",     "9223372036854775807",
      "[",    "]",     "4611686018427387904",
      "<",    ">",     "#compress.affine<i4, block = [1, *]>",
      "\"\"", "1.0e9", "#compress.nm<1:2, dim = 0>",
      "f16",  "index", "tensor<?xf32, #compress.affine<i3>>",
      "unit", "()",    "dense_resource<absent>"};
  StringRef token = tokens[random() % tokens.size()];
  size_t begin = token.data() - original.data(), end = begin + token.size();
  std::string middle;
  switch (random() % 4) {
  case 0:
    break;
  case 1:
    middle = (token + " " + token).str();
    break;
  case 2:
    middle = tokens[random() % tokens.size()].str();
    break;
  default:
    middle = kOther[random() % std::size(kOther)].str();
  }
  return (original.take_front(begin) + middle + original.drop_front(end)).str();
}

//===----------------------------------------------------------------------===//
// Whose crash it is
//===----------------------------------------------------------------------===//

/// Made by the linker: where this program, which our library is part of, lies.
extern "C" char __executable_start, etext;

static Report *report;
/// Functions of this program that call the parser.
static unsigned callersInProgram;

static bool isInProgram(void *frame) {
  return frame >= &__executable_start && frame < &etext;
}

static unsigned countFramesInProgram() {
  void *frames[512];
  int count = backtrace(frames, std::size(frames));
  return llvm::count_if(ArrayRef(frames, count), isInProgram);
}

/// Whether the innermost function of ours called into the reader of `dense`
/// attributes, which checks neither the element type nor the data.
static bool isInDenseReader() {
  void *frames[64];
  int count = backtrace(frames, std::size(frames));
  // Past this function and the handler.
  for (void *frame : ArrayRef(frames, count).drop_front(2)) {
    if (isInProgram(frame))
      return false;
    Dl_info info;
    if (dladdr(frame, &info) && info.dli_sname &&
        StringRef(info.dli_sname).contains("DenseIntOrFPElementsAttr6getRaw"))
      return true;
  }
  return false;
}

/// Runs on a stack of its own; allocates nothing.
static void handleSignal(int signal) {
  // The handler is one frame more.
  report->ours =
      countFramesInProgram() > callersInProgram + 1 && !isInDenseReader();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

static void installHandlers() {
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = handleSignal;
  action.sa_flags = SA_ONSTACK;
  for (int signal :
       {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGALRM})
    sigaction(signal, &action, nullptr);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Outcome tryModule(MLIRContext &context, const std::string &text) {
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    // As a tool would; printing has its own ways to crash.
    llvm::raw_null_ostream() << diagnostic.getLocation() << diagnostic;
    return success();
  });
  // Bytecode is read with the alignment that its header asks for.
  llvm::SourceMgr sources;
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      text.size(), "mutation", llvm::Align(4096));
  llvm::copy(text, buffer->getBufferStart());
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  callersInProgram = countFramesInProgram();
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return errors ? Refused : Silent;
  if (failed(mlir::compress::verifyEncodingRules(*module)))
    return errors ? RefusedByRules : Silent;
  llvm::raw_null_ostream null;
  module->print(null);
  if (failed(writeBytecodeToFile(*module, null)))
    return errors ? RefusedByRules : Silent;
  PassManager passes(&context);
  passes.addPass(createCanonicalizerPass());
  if (failed(passes.run(*module)))
    return errors ? RefusedByRules : Silent;
  return Legal;
}

/// Reads `module` in a new process; returns its wait status, -1 if there is
/// none.
static int runChild(MLIRContext &context, const std::string &module) {
  // Killed by what no handler sees: ours until the contrary is known.
  *report = {Silent, true};
  pid_t child = fork();
  if (child == 0) {
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#if !__has_feature(address_sanitizer)
    rlimit memory = {rlim_t(4) << 30, rlim_t(4) << 30};
    setrlimit(RLIMIT_DATA, &memory);
    installHandlers();
#endif
    alarm(kSecondsPerMutation);
    report->outcome = tryModule(context, module);
    _exit(0);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int main(int argc, char **argv) {
  uint64_t count, seed;
  if (argc < 4 || StringRef(argv[2]).getAsInteger(10, count) ||
      StringRef(argv[3]).getAsInteger(10, seed)) {
    llvm::errs() << "usage: " << argv[0]
                 << " <file> <count> <seed> [<prefix>]\n";
    return 1;
  }
  auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
  if (!buffer || (*buffer)->getBufferSize() == 0) {
    llvm::errs() << "cannot read '" << argv[1] << "', or it is empty\n";
    return 1;
  }
  void *shared = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    llvm::errs() << "cannot map memory\n";
    return 1;
  }
  report = new (shared) Report();
  Mutator mutator((*buffer)->getBuffer(), seed);
  DialectRegistry registry;
  mlir::compress::registerAllCompressDialects(registry);
  registry.insert<cf::ControlFlowDialect, func::FuncDialect,
                  ml_program::MLProgramDialect, tosa::TosaDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();

  uint64_t counts[NumOutcomes] = {}, failures = 0, stock = 0;
  for (uint64_t i = 0; i < count; ++i) {
    std::string module = mutator.mutate(i);
    int status = runChild(context, module);
    if (status == -1) {
      llvm::errs() << "cannot run a child process\n";
      return 1;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      ++counts[report->outcome];
      continue;
    }
    bool known = WIFSIGNALED(status) && !report->ours;
    ++(known ? stock : failures);
    llvm::outs() << "mutation " << i << ": "
                 << (WIFSIGNALED(status) ? "signal " : "exit code ")
                 << (WIFSIGNALED(status) ? WTERMSIG(status)
                                         : WEXITSTATUS(status))
                 << (known ? " in stock code" : "") << "\n";
    llvm::outs().flush();
    if (known || argc < 5)
      continue;
    std::error_code error;
    llvm::raw_fd_ostream((argv[4] + Twine(i)).str(), error) << module;
  }
  llvm::outs() << count << " mutations: " << counts[Refused] << " refused, "
               << counts[RefusedByRules] << " refused by rules, "
               << counts[Legal] << " legal, " << counts[Silent]
               << " refused in silence, " << stock << " crashes in stock code, "
               << failures << " failures\n";
  return failures ? 1 : 0;
}
