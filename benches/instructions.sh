#!/usr/bin/env bash
# Counts the instructions of playouts and of a training game of 9×9 Go with callgrind.
#
#   benches/instructions.sh           prints one line a figure
#   benches/instructions.sh --check   compares with the figures in bench.txt as well, and fails if one has
#                                     grown by more than 3 %
#
# Unlike times, the counts hardly depend on what else the machine does; they do depend on the compiler and the
# processor family. Each is the difference between two runs of different length, so that start-up does not count.
set -euo pipefail
cd "$(dirname "$0")/.."

check=no
case "${1:-}" in
  '') ;;
  --check) check=yes ;;
  *) echo "unknown option '$1': expected --check or nothing" >&2 && exit 2 ;;
esac
command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2 && exit 2; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
examples=${CARGO_TARGET_DIR:-target}/release/examples
cargo build --release --locked --quiet -p afterstate-games --example playouts
cargo build --release --locked --quiet -p afterstate-engine --example self_play

# Runs example $1 for $2 games, with further arguments if there are any; sets `instructions`, `moves` and `third`, the
# third number that it prints.
count() {
  valgrind --tool=callgrind --callgrind-out-file="$scratch/out" "$examples/$1" "${@:2}" >"$scratch/said" 2>"$scratch/log" || {
    cat "$scratch/log" >&2
    exit 1
  }
  instructions=$(sed -n 's/^\(totals\|summary\): *//p' "$scratch/out" | head -n 1)
  read -r moves third < <(tr ',' ' ' <"$scratch/said" | awk '{ print $3, $5 }')
}

grown=no
figure() {
  local name=$1 value=$2 unit=$3 before
  before=$(sed -n "s/^# *$name \([0-9]*\) .*/\1/p" bench.txt)
  echo "$name $value $unit"
  if [ $check = yes ]; then
    [ -n "$before" ] || { echo "$name is not in bench.txt" >&2 && grown=yes && return; }
    if [ $((value * 100)) -gt $((before * 103)) ]; then
      echo "$name has grown from $before to $value" >&2
      grown=yes
    fi
  fi
}

count playouts 1000
short=$instructions short_moves=$moves
count playouts 5000
figure instructions.go9.playouts.uniform $(((instructions - short) / 4000)) /playout
figure instructions.go9.playouts.uniform.move $(((instructions - short) / (moves - short_moves))) /move

for policy in mogo fuego; do
  count playouts 500 $policy
  short=$instructions short_moves=$moves
  count playouts 2500 $policy
  figure instructions.go9.playouts.$policy $(((instructions - short) / 2000)) /playout
  figure instructions.go9.playouts.$policy.move $(((instructions - short) / (moves - short_moves))) /move
done

# The first games, when all weights are 0, are not like the others.
count self_play 500
short=$instructions short_third=$third
count self_play 1500
figure instructions.go9.td.game $(((instructions - short) / 1000)) /game
figure instructions.go9.td.afterstate $(((instructions - short) / (third - short_third))) /afterstate

[ $grown = no ]
