//===- Server.cpp - Contenders as processes that are asked ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Server.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include <unistd.h>

namespace compress::bench {

Kernel::~Kernel() = default;

Prepared Prepared::skip(std::string reason) {
  Prepared prepared;
  prepared.reason = std::move(reason);
  return prepared;
}

Prepared Prepared::error(std::string reason) {
  Prepared prepared = skip(std::move(reason));
  prepared.isError = true;
  return prepared;
}

int serveRequests(
    const std::function<std::string(const std::vector<std::string> &)>
        &answer) {
  FILE *replies = fdopen(dup(STDOUT_FILENO), "w");
  if (!replies || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::perror("cannot redirect stdout");
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
      words.push_back(word);
    std::string reply = words.empty() ? "error empty request" : answer(words);
    for (char &c : reply)
      if (c == '\n')
        c = ' ';
    std::fprintf(replies, "%s\n", reply.c_str());
    std::fflush(replies);
  }
  std::fclose(replies);
  return 0;
}

namespace {
/// The state between requests.
struct KernelServer {
  std::string prepareCase(const std::vector<std::string> &words) {
    kernel.reset();
    std::string message;
    std::optional<Case> parsed =
        Case::parse({words.begin() + 1, words.end()}, message);
    if (!parsed)
      return "error " + message;
    Prepared prepared = prepare(*parsed);
    if (!prepared.kernel)
      return (prepared.isError ? "error " : "skip ") + prepared.reason;
    kernel = std::move(prepared.kernel);
    calls = 0;
    return "ok " + std::to_string(kernel->getWork());
  }

  std::string writeResult(const std::string &file) {
    kernel->call(calls++);
    Bytes bytes = kernel->getResult();
    return writeFile(file, bytes) ? "ok" : "error cannot write " + file;
  }

  std::string timeBlock(double milliseconds, int64_t least) {
    std::string reply = "ok";
    double total = 0;
    // Enough is enough where a call takes long.
    double most = std::max(milliseconds, 1000.0);
    for (int64_t n = 0; total < milliseconds || (n < least && total < most);
         ++n) {
      double time = kernel->call(calls++);
      total += time;
      reply += ' ' + std::to_string(time);
    }
    return reply;
  }

  std::string answer(const std::vector<std::string> &words) {
    if (words[0] == "prepare")
      return prepareCase(words);
    if (!kernel)
      return "error nothing is prepared";
    if (words[0] == "release") {
      kernel.reset();
      return "ok";
    }
    if (words[0] == "result" && words.size() == 2)
      return writeResult(words[1]);
    if (words[0] == "block" && words.size() == 3)
      return timeBlock(std::atof(words[1].c_str()),
                       std::atoll(words[2].c_str()));
    return "error unknown request " + words[0];
  }

  const std::function<Prepared(const Case &)> &prepare;
  std::unique_ptr<Kernel> kernel;
  int64_t calls = 0;
};
} // namespace

int serveKernels(const std::function<Prepared(const Case &)> &prepare) {
  KernelServer server{prepare, nullptr, 0};
  return serveRequests([&](const std::vector<std::string> &words) {
    return server.answer(words);
  });
}

} // namespace compress::bench
