#!/bin/sh
# A worker for the goals of a project, called in its root: sh worker.sh NAME COMMAND [MINUTES]
#
# It claims a goal, has COMMAND (a line for sh) work on it in a work tree of its own, hands in what changed, and gives the goal back, until
# no goal is free. COMMAND finds the goal's id in $GOAL and the packet, with prompt and context, in the file $PACKET. It has MINUTES for
# each goal, 30 without: later the claim is over, and what was made is refused. The work is judged by `dev-cli auto`. Needs dev-cli, git,
# and node, which reads and writes the JSON.
set -eu
worker=$1 command=$2 minutes=${3:-30} claim=''
scratch=$(mktemp -d)

clean_up() {
  [ ! -e "$scratch/tree" ] || git worktree remove --force "$scratch/tree" || :
  [ -z "$claim" ] || dev-cli queue release "$claim" --worker "$worker" --reason 'the worker ended' >/dev/null || :
  rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints what stands at a path such as packet.base in the JSON of standard input.
field() {
  node -e 'const it = JSON.parse(require("fs").readFileSync(0, "utf8"));
    process.stdout.write(String(process.argv[1].split(".").reduce((at, key) => at[key], it)))' "$1"
}

while :; do
  claimed=$(dev-cli queue claim --worker "$worker" --ttl-minutes "$minutes" --json) ||
    case $(printf '%s' "$claimed" | field error.code) in
      CLAIM_REFUSED) exit 0 ;; # nothing is free
      LOCKED) sleep 1 && continue ;;
      *) printf '%s\n' "$claimed" >&2 && exit 1 ;;
    esac
  claim=$(printf '%s' "$claimed" | field claim_id)
  goal=$(printf '%s' "$claimed" | field goal_id)
  dev-cli protocol export --adapter other --goal "$goal" --json >"$scratch/export.json"
  base=$(field packet.base <"$scratch/export.json")
  git worktree add --quiet --detach "$scratch/tree" "$base"

  success=true
  (cd "$scratch/tree/$(git rev-parse --show-prefix)" && GOAL=$goal PACKET=$scratch/export.json sh -c "$command") || success=false

  git -C "$scratch/tree" add --all
  git -C "$scratch/tree" diff --cached --binary "$base" -- . ':(exclude,glob)**/.ai/**' ':(exclude,glob)**/.dev/**' >"$scratch/patch"
  # A worker that made nothing would be given the same goal again.
  [ -s "$scratch/patch" ] || { echo "$worker: nothing was made for $goal" >&2; exit 1; }
  node -e 'const [directory, claim_id, success] = process.argv.slice(1);
    const read = (name) => require("fs").readFileSync(directory + "/" + name, "utf8");
    const { packet_id, adapter, goal } = JSON.parse(read("export.json")).packet;
    const result = { schema_version: "protocol_result.v1", adapter, goal_id: goal.id, packet_id, claim_id };
    console.log(JSON.stringify({ ...result, success: success === "true", patch: read("patch") }))' \
    "$scratch" "$claim" "$success" >"$scratch/result.json"
  dev-cli protocol ingest "$scratch/result.json"

  dev-cli queue release "$claim" --worker "$worker" --reason 'handed in' >/dev/null
  claim=''
  git worktree remove --force "$scratch/tree"
done
