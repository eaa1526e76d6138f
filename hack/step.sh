#!/usr/bin/env bash
# Runs a command without its output, which appears only if the command fails:
#
#   hack/step.sh TITLE COMMAND...
#
# It prints one line: the title, the seconds, and those of processors. With V=1 in the environment, the command's output
# appears as it comes.
set -uo pipefail

title=$1
shift
if [[ ${V-} == 1 ]]; then
  printf '==> %s\n' "$title"
  exec "$@"
fi
log=$(mktemp)
trap 'rm -f "$log" "$log.time"' EXIT
TIMEFORMAT='%0R %0U %0S'
{ time "$@" >"$log" 2>&1; } 2>"$log.time"
status=$?
read -r seconds user system <"$log.time"
if ((status != 0)); then
  cat "$log"
  printf 'FAILED: %s: %s\n' "$title" "$*"
  exit "$status"
fi
printf '%-72s %5d s %6d s of the processors\n' "$title" "$seconds" $((user + system))
