# shellcheck shell=bash
# Part of the compress project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What scripts/check and scripts/demo share: installing the Debian packages that
# are missing, and configuring and building the release preset. To be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build-release
# shellcheck disable=SC2034  # read by the scripts that source this file
llvm=/usr/lib/llvm-22
# Debian's own interpreter: it is the one that has Debian's numpy.
python=/usr/bin/python3

# What the build, the tests and the demo need. All of them are in Debian 12;
# the LLVM 22 packages come from its security suite.
packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22
  libclang-rt-22-dev libeigen3-dev libgtest-dev libbenchmark-dev
  zlib1g-dev libzstd-dev ccache cmake ninja-build
  python3 python3-numpy python3-psutil time
)

die() {
  echo "error: $*" >&2
  exit 1
}

# Prints each of the packages that is not installed.
missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      echo "$package"
  done
}

# Installs what missing_packages prints. With nothing missing it needs neither
# the network nor the rights of root.
install_packages() {
  if ! command -v dpkg-query || ! command -v apt-get; then
    die "this script installs Debian packages and found no apt-get here;" \
      "use a Debian 12 system or container, or install the tools yourself" \
      "(see \"Building by hand\" in CONTRIBUTING.md)"
  fi >/dev/null
  local missing as_root=()
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "Installing ${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "these packages are missing and this is neither root nor a user with" \
        "sudo; let an administrator run: apt-get install ${missing[*]}"
    as_root=(sudo)
    # Without a terminal sudo could only wait for a password for ever.
    [ -t 0 ] || as_root+=(-n)
  fi
  "${as_root[@]}" apt-get update -q ||
    die "apt-get update failed (see above): without it no package can be installed"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install ${missing[*]} (see above). The LLVM 22" \
      "packages need Debian 12 with its security suite in the apt sources:" \
      "deb http://deb.debian.org/debian-security bookworm-security main"
}

# configure_and_build JOBS [TARGET...]: the release preset, in build-release.
configure_and_build() {
  local jobs=$1
  shift
  cd "$root" || exit 1
  cmake --preset release -DPython3_EXECUTABLE="$python" ||
    die "cmake could not configure the release preset (see above)"
  cmake --build "$build" -j "$jobs" ${1:+--target "$@"} ||
    die "the build failed (see above)"
}
