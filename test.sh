#!/usr/bin/env bash
# Everything that must hold before a change is merged. Installs what the tests need, runs every check even
# if an earlier one fails, and ends with the number of checks and tests that passed and failed.
#
# With CI set nothing may be left out for want of another program; otherwise what was left out is listed.
set -euo pipefail
cd "$(dirname "$0")"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/tests.log
target=${CARGO_TARGET_DIR:-target}
# What lets an edited crate compile quickly makes everything compile slowly, and here nothing is edited.
export CARGO_INCREMENTAL=0
# Lines for backtraces, which nobody looks at here, take an eighth of the time.
export CARGO_PROFILE_DEV_DEBUG=none
passed=0 failed=0 failures=() left_out=()

if [ -n "${CI:-}" ]; then
  export AFTERSTATE_REQUIRE_ENGINES=1
fi

# --- What the checks need ------------------------------------------------------------------------------

# Debian puts games where PATH does not always look.
export PATH="$PATH:/usr/games"

missing=()
for engine in gnugo gnubg stockfish fairymax gnuchess; do
  if ! command -v "$engine" >/dev/null; then missing+=("$engine"); fi
done
if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo -n); fi
  if [ ${#as_root[@]} -eq 0 ] || command -v sudo >/dev/null; then
    echo "== installing ${missing[*]}"
    ${as_root[@]+"${as_root[@]}"} sh -c \
      'export DEBIAN_FRONTEND=noninteractive; i="apt-get install -y --no-install-recommends $*"; $i || { apt-get update && $i; }' \
      sh "${missing[@]}" || echo "${missing[*]} could not be installed"
  fi
fi

if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
  rustup component add rustfmt clippy
fi

# --- The checks ----------------------------------------------------------------------------------------

# Runs a command as one check.
check() {
  local name=$1
  shift
  echo "== $name"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)) failures+=("$name")
  fi
}

# All tests, with what the passing ones print, too: what they leave out must be seen.
all_tests() {
  local status=0
  cargo test --workspace --locked --no-fail-fast --lib --test '*' -- --show-output || status=1
  # The program's own tests play little, and optimising every search a second time for them would take minutes.
  cargo test --workspace --locked --no-fail-fast --bin afterstate \
    --config 'profile.dev.package.afterstate-cli.opt-level=0' -- --show-output || status=1
  cargo test --workspace --locked --no-fail-fast --doc -- --show-output || status=1
  return $status
}

# Runs all tests, each of which counts by itself.
tests() {
  echo "== tests"
  local status ok bad
  all_tests 2>&1 | tee "$log" |
    grep --line-buffered -E '^(test result:|     Running|   Doc-tests)|\.\.\. FAILED$' &&
    status=0 || status=${PIPESTATUS[0]}
  read -r ok bad < <(awk '/^test result:/ { ok += $4; bad += $6 } END { print ok + 0, bad + 0 }' "$log")
  # A crate that does not compile, or a test program that crashes, has no result of its own.
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$bad" -gt 0 ]; then
    failures+=("tests")
    echo "-- what failed"
    # What tests that failed printed, and what the compiler says.
    awk '/^test .* FAILED$/ { failed[$2] = 1 }
      /^---- .* stdout ----$/ { shown = $2 in failed }
      /^(failures|successes):$/ { shown = 0 }
      /^error/ { error = 1 }
      /^$/ { error = 0 }
      shown || error' "$log" | tail -n 200
  fi
  passed=$((passed + ok)) failed=$((failed + bad))
  mapfile -t left_out < <(sed -n 's/^left out: //p' "$log" | sort -u)
}

# Every order in which two threads can grow a search tree. Other flags mean another target folder, for which everything is
# compiled anew, and optimising it takes longer than the check.
model() {
  RUSTFLAGS="--cfg loom" CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --quiet --locked -p afterstate-engine --lib --target-dir "$target/loom" model
}

docs() {
  RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
}

examples() {
  local example
  for example in 1_random_games 2_own_game 3_learn 4_look_ahead 5_tournament 6_own_features 7_own_search 8_own_learner; do
    cargo run --quiet --locked --example "$example" >"$scratch/example.txt" || return 1
  done
}

# From a recipe to weights that beat a random player, by the commands that a user would type.
learns_and_plays() {
  local afterstate=$1 run=$scratch/run
  printf 'board-size = 5\ngames = 3000\n[evaluation]\ngames = 20\n' >"$scratch/small.toml"
  "$afterstate" train "$scratch/small.toml" --out "$run" || return 1

  "$afterstate" match "$run" random --size 5 --games 100 --json >"$scratch/match.json" || return 1
  local wins
  wins=$(sed -n 's/.*"wins": *\([0-9]*\).*/\1/p' "$scratch/match.json" | head -n 1)
  echo "won ${wins:-no} of 100 games against random"
  [ "${wins:-0}" -ge 90 ] || return 1

  printf '%s\n' 'boardsize 5' 'clear_board' 'komi 7.5' 'genmove b' 'genmove w' 'nonsense' 'final_score' 'quit' |
    "$afterstate" gtp --agent "alpha-beta:$run,depth=2" >"$scratch/gtp.txt" || return 1
  # Seven answers and one complaint; both moves are points of the board.
  [ "$(grep -c '^=' "$scratch/gtp.txt")" -eq 7 ] &&
    [ "$(grep -c '^?' "$scratch/gtp.txt")" -eq 1 ] &&
    [ "$(grep -cE '^= [A-E][1-5]$' "$scratch/gtp.txt")" -eq 2 ] || {
    cat "$scratch/gtp.txt"
    return 1
  }
}

# The GTP library inside Sabaki, which nobody here wrote, drives the engine.
sabaki() (
  afterstate=$(realpath "$1")
  cd crates/protocols/tests/sabaki
  npm ci --silent --no-audit --no-fund && node run.mjs "$afterstate"
)

# Links lead to files that exist, and a type named as the text of a link is in the file.
links() {
  local page link name path bad=0
  for page in *.md papers/*/*.md; do
    while read -r link; do
      name=${link%%](*} path=${link#*](}
      name=${name#[} path=$(dirname "$page")/${path%)}
      if [ ! -e "$path" ]; then
        echo "$page: $link: there is no such file" && bad=1
      elif [[ $name == \`*\` && $path == *.rs && $name != *.rs\` ]]; then
        name=${name//\`/}
        grep -qw -- "${name##*::}" "$path" || { echo "$page: $link: $name is not in that file" && bad=1; }
      fi
    done < <(grep -oE '\[[^]]*\]\([^):#]+\)' "$page")
  done
  return $bad
}

# Read as a whole before it runs, so that editing this file does not disturb a run.
main() {
  check "formatting" cargo fmt --all --check
  check "lints" cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
  check "lints, graphics cards" cargo clippy -p afterstate-nets --features cuda --all-targets --locked --quiet -- -D warnings
  tests
  check "model of the search tree" model
  check "documentation" docs
  check "links in the documentation" links
  check "examples" examples
  # The program that the tests built is optimised, too; building a release takes five minutes more.
  check "signatures" "$target/debug/afterstate" bench signature --check bench.txt
  check "learning and playing" learns_and_plays "$target/debug/afterstate"
  if command -v node >/dev/null && command -v npm >/dev/null; then
    check "Sabaki's GTP library" sabaki "$target/debug/afterstate"
  else
    left_out+=("Sabaki's GTP library: node and npm are not installed")
  fi

  echo
  if [ ${#left_out[@]} -gt 0 ]; then
    echo "left out:"
    printf '  %s\n' "${left_out[@]}"
  fi
  if [ ${#failures[@]} -gt 0 ]; then
    echo "failed:"
    printf '  %s\n' "${failures[@]}"
  fi
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

main "$@"
