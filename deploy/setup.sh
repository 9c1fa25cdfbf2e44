#!/usr/bin/env bash
# Prepares this machine to run, test or benchmark TrackMe: Debian packages, the Swift toolchain, and
# for tests and benchmarks Python virtual environments under the state directory. Repeated calls are
# safe: if nothing is missing, the script takes a fraction of a second and changes nothing.
#
# usage: deploy/setup.sh run|test|browser|bench|deploy
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
state="${TRACKME_STATE:-$here/.trackme}"
swift_major=6
swift_minor=3

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

groups_for() {
  case "$1" in
    run) echo "runtime build" ;;
    test) echo "runtime build test" ;;
    browser) echo "runtime build test browser" ;;
    bench) echo "runtime build test browser bench" ;;
    deploy) echo "runtime build deploy" ;;
    *) fail "unknown purpose '$1': run, test, browser, bench or deploy" ;;
  esac
}

# Packages of the groups "$@" that are not installed and whose command does not exist.
missing_packages() {
  local package group command _why
  while read -r package group command _why; do
    case "$package" in '' | '#'*) continue ;; esac
    case " $* " in *" $group "*) ;; *) continue ;; esac
    if [ "$command" != - ] && command -v "$command" >/dev/null 2>&1; then continue; fi
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ]; then
      continue
    fi
    echo "$package"
  done <"$here/deploy/packages.txt"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_be_root() {
  [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; }
}

# Runs a command up to three times, with longer pauses, because mirrors fail for short periods.
retried() {
  local attempt
  for attempt in 1 2 3; do
    if "$@"; then return 0; fi
    [ "$attempt" = 3 ] && return 1
    say "attempt $attempt of 3 failed, trying again in $((attempt * 5)) s"
    sleep $((attempt * 5))
  done
}

# Debian would create a cluster called main with the server package; TrackMe creates its own.
forbid_debian_cluster() {
  local file=/etc/postgresql-common/createcluster.conf
  if [ -f "$file" ] && grep -q '^[[:space:]]*create_main_cluster' "$file"; then return 0; fi
  as_root mkdir -p "$(dirname "$file")"
  echo 'create_main_cluster = false' | as_root tee -a "$file" >/dev/null
}

policy_written=no
# Prevents installed packages from starting services; an existing policy is not changed.
forbid_service_start() {
  [ -e /usr/sbin/policy-rc.d ] && return 0
  printf '#!/bin/sh\nexit 101\n' | as_root tee /usr/sbin/policy-rc.d >/dev/null
  as_root chmod 755 /usr/sbin/policy-rc.d
  policy_written=yes
}
allow_service_start() {
  if [ "$policy_written" = yes ]; then as_root rm -f /usr/sbin/policy-rc.d; fi
  policy_written=no
}

install_packages() {
  local missing="$1"
  say "installing:" $missing
  case " $missing " in *' postgresql-15'*) forbid_debian_cluster ;; esac
  trap allow_service_start EXIT
  forbid_service_start
  retried as_root apt-get update -q -o Acquire::Retries=3 ||
    fail "the package lists could not be fetched (apt-get update failed three times)"
  # shellcheck disable=SC2086 # one word a package
  retried as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends -o Acquire::Retries=3 -o Dpkg::Options::=--force-confold \
    $missing || fail "these packages could not be installed: $missing"
  allow_service_start
  trap - EXIT
}

ensure_packages() {
  local missing
  command -v dpkg-query >/dev/null 2>&1 || fail "this needs Debian 12: dpkg-query is not there"
  # shellcheck disable=SC2046,SC2086 # lists of words
  missing="$(echo $(missing_packages $(groups_for "$1")))"
  [ -z "$missing" ] && return 0
  if can_be_root; then
    install_packages "$missing"
  else
    echo "Packages are missing and installing them needs root. Run this as root in this folder," >&2
    echo "then try again:" >&2
    echo "deploy/setup.sh $1" >&2
    echo "It installs $missing, and keeps Debian from starting a database of its own." >&2
    exit 1
  fi
}

ensure_swift() {
  local version major minor
  PATH="$PATH:/opt/swift/usr/bin"
  command -v swift >/dev/null 2>&1 ||
    fail "Swift is missing: put Swift $swift_major.$swift_minor or later for Debian 12" \
      "(swift.org/install/linux) on the PATH or under /opt/swift"
  swift --version >/dev/null 2>&1 ||
    fail "$(command -v swift) does not start: $({ swift --version 2>&1 || true; } | head -n 1)"
  version="$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p')"
  major="${version%%.*}"
  minor="${version#*.}"
  minor="${minor%%.*}"
  if [ "${major:-0}" -lt $swift_major ] ||
    { [ "$major" = $swift_major ] && [ "${minor:-0}" -lt $swift_minor ]; }; then
    fail "Swift ${version:-of an unknown version} is too old: $swift_major.$swift_minor or later" \
      "is needed ($(command -v swift))"
  fi
}

# ensure_python NAME PINS: pinned Python peers in an environment of this name; recreated only if the
# list of pins or the Python version changes.
ensure_python() {
  local pins="$here/$2" home="$state/$1" key
  key="$({ cat "$pins"; /usr/bin/python3 --version; } | sha256sum | cut -d' ' -f1)"
  if [ "$(cat "$home/.pins" 2>/dev/null)" = "$key" ] && "$home/bin/python3" -c '' 2>/dev/null; then
    return 0
  fi
  say "creating the Python environment of $2 in $home"
  mkdir -p "$state"
  rm -rf "$home"
  /usr/bin/python3 -m venv "$home"
  retried "$home/bin/python3" -m pip install --quiet --disable-pip-version-check \
    --requirement "$pins" || fail "the Python peers could not be installed ($pins)"
  echo "$key" >"$home/.pins"
}

[ $# = 1 ] || fail "usage: deploy/setup.sh run|test|browser|bench|deploy"
ensure_packages "$1"
ensure_swift
case "$1" in test | browser | bench) ensure_python python Tests/Journeys/requirements.txt ;; esac
case "$1" in bench) ensure_python python-bench Tests/Bench/requirements.txt ;; esac
