# The script that dev-cli's hooks run: `set -- EVENT HARNESS; . dev-cli.sh`. If dev-cli has nothing to do, it exits without node.

# Searches from the current directory up to the first `.git` for the root, which contains `.dev/MARK`. Sets `root`, with a slash at
# its end; empty if there is none. In a work tree made for a run, it is the root of that run. In any other linked work tree, the
# memory is that of the main work tree, if the same directory there, or one above it, has a `.dev/memory`.
seek() {
  at=${PWD%/}
  root=
  shared=
  while :; do
    if [ -z "$root" ] && { [ -e "$at/.dev/$1" ] || [ -L "$at/.dev/$1" ]; }; then root=$at/; fi
    [ ! -e "$at/.git" ] || break
    case $at in */*) at=${at%/*} ;; *) break ;; esac
  done
  [ -f "$at/.git" ] || return 0
  git=
  IFS= read -r git <"$at/.git"
  git=${git#gitdir: }
  case $git in /*) ;; *) git=$at/$git ;; esac
  if [ -f "$git/dev-cli-root" ]; then
    root=
    IFS= read -r root <"$git/dev-cli-root"
    root=$root/
  elif [ "$1" = memory ] && [ -z "$root" ] && [ -f "$git/commondir" ]; then
    common=
    IFS= read -r common <"$git/commondir"
    case $common in /*) ;; *) common=$git/$common ;; esac
    below=${PWD%/}
    below=${below#"$at"}
    while :; do
      if [ -d "$common/..$below/.dev/memory" ]; then
        root=$at/
        shared=1
      fi
      case $below in */*) below=${below%/*} ;; *) break ;; esac
    done
  fi
}

# Returns whether every run at `root` has ended, according to its state.json exactly as dev-cli writes it. In all other cases node
# decides, even if only the journal is newer than the state: it may have further entries.
have_ended() {
  [ "$root" != "$ended" ] || return 0
  for run in "${root}.dev/specs"/*/; do
    [ -f "${run}state.json" ] && [ -f "${run}events.jsonl" ] || return 1
    [ ! "${run}events.jsonl" -nt "${run}state.json" ] || return 1
  done
  [ -z "$(grep -L -e '^ "status": "completed"' -e '^ "status": "aborted"' -- "${root}.dev/specs"/*/state.json 2>&1)" ] || return 1
  ended=$root
}

# Returns whether there is something to do at `root`. Reads the guard only if it is a regular file, so that reading cannot block;
# unless it says `open`, node decides.
is_concerned() {
  [ -n "$root" ] || return 1
  case $mark in
    guard) ;;
    memory) [ -n "$shared" ] || [ -d "${root}.dev/memory" ]; return ;;
    *) [ -e "${root}.dev/$mark" ] && { [ -z "$needs_live" ] || [ -f "$root$tasks" ] || ! have_ended; }; return ;;
  esac
  [ -d "$root" ] || return 0
  [ -e "${root}.dev/guard" ] || [ -L "${root}.dev/guard" ] || return 1
  word=
  if [ -f "${root}.dev/guard" ]; then read -r word rest <"${root}.dev/guard"; fi
  [ "$word" != open ]
}

# Uses the root in DEV_CLI_ROOT, else that of the current directory, else that of the session's directory, since an agent may have
# changed directory. Exports the root, so that node uses the same one.
enter() {
  if [ -d "${DEV_CLI_ROOT-}" ]; then
    root=${DEV_CLI_ROOT%/}/
    for mark in $marks; do is_concerned && return; done
    return 1
  fi
  for place in . "${CLAUDE_PROJECT_DIR-}"; do
    cd -P "$place" || continue
    for mark in $marks; do
      seek "$mark"
      is_concerned || continue
      if [ -d "$root" ]; then
        DEV_CLI_ROOT=$root
        export DEV_CLI_ROOT
      fi
      return 0
    done
  done
  return 1
}

# A new session is recorded wherever dev-cli is installed, even before the first run.
case $1 in
  pre-tool-use) marks=guard ;;
  session-start) marks='specs install.json memory' ;;
  session-end) marks=specs ;;
  *) marks='specs memory' ;;
esac
case $1 in post-tool-use | stop) needs_live=1 ;; *) needs_live= ;; esac
# An ended run may still have to report to these tasks.
case $1 in stop) tasks=.nexus/state/tasks.json ;; *) tasks= ;; esac
ended=
shared=
# A prompt may start the first run of a project, and `init` must know what it says about autopilot.
enter 2>/dev/null || { [ "$1" = user-prompt-submit ] && [ -d .dev ]; } || exit 0

if [ "$1" = pre-tool-use ]; then
  dev-cli hook "$1" --harness "$2"
  s=$?
  case $s in 0 | 2) exit $s ;; esac
  echo "dev-cli: the guard could not judge this call (exit $s), and a run is guarded here. dev-cli doctor says why." >&2
  exit 2
fi

# Without dev-cli the session continues; a new session gets a message if dev-cli is installed here. Never exit with 2, which would
# block the prompt, or keep the agent from stopping.
if ! command -v dev-cli >/dev/null; then
  [ "$1" != session-start ] || echo "dev-cli is not on the PATH of this session, and it is installed here: tell the user."
  exit 0
fi
dev-cli hook "$1" --harness "$2" || exit 1
exit 0
