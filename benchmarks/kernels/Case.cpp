//===- Case.cpp - One case of the kernel benchmark ------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace compress::bench {

namespace {
struct CloseFile {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;
} // namespace

size_t getElementBytes(const std::string &type) {
  if (type == "f32")
    return 4;
  return type == "bf16" ? 2 : 1;
}

bool writeFile(const std::string &file, Bytes bytes) {
  File output(std::fopen(file.c_str(), "wb"));
  return output &&
         std::fwrite(bytes.data, 1, bytes.size, output.get()) == bytes.size;
}

void Case::readBytes(const std::string &name, void *data, size_t size) const {
  std::string path = directory + "/" + name;
  File input(std::fopen(path.c_str(), "rb"));
  if (input && std::fread(data, 1, size, input.get()) == size &&
      std::fgetc(input.get()) == EOF)
    return;
  std::fprintf(stderr, "%s does not have %zu bytes\n", path.c_str(), size);
  std::exit(1);
}

std::optional<Case> Case::parse(const std::vector<std::string> &words,
                                std::string &message) {
  Case parsed;
  const std::map<std::string, std::string *> texts = {
      {"op", &parsed.op},         {"lhs", &parsed.lhs},
      {"rhs", &parsed.rhs},       {"result", &parsed.result},
      {"dir", &parsed.directory},
  };
  const std::map<std::string, int64_t *> numbers = {
      {"m", &parsed.m},         {"n", &parsed.n},
      {"k", &parsed.k},         {"height", &parsed.height},
      {"width", &parsed.width}, {"channels", &parsed.channels},
      {"block", &parsed.block}, {"copies", &parsed.copies},
      {"bytes", &parsed.bytes}, {"threads", &parsed.threads},
  };
  for (const std::string &word : words) {
    size_t equal = word.find('=');
    std::string key = word.substr(0, equal);
    std::string value =
        equal == std::string::npos ? "" : word.substr(equal + 1);
    if (auto text = texts.find(key); text != texts.end())
      *text->second = value;
    else if (auto number = numbers.find(key); number != numbers.end())
      *number->second = std::atoll(value.c_str());
    else if (key == "lhs-scale")
      parsed.lhsScale = std::strtof(value.c_str(), nullptr);
    else if (key == "result-scale")
      parsed.resultScale = std::strtof(value.c_str(), nullptr);
    else if (key == "dynamic")
      parsed.dynamic = value == "1";
    else {
      message = "a case has no '" + key + "'";
      return std::nullopt;
    }
  }
  return parsed;
}

} // namespace compress::bench
