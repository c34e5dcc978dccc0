# What the hooks of dev-cli run: `set -- EVENT HARNESS; . dev-cli.sh`. Ends before node starts where the call concerns nothing.

# Finds the root of the current directory as dev-cli does, up to the first `.git`, by `.dev/MARK`. `root` ends with a slash, and is
# empty where there is none. A work tree that was made for a run leads to the root of that run; of any other that is linked, the main
# one has the memory, where the directory lies there or above.
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

# Whether each run at `root` has ended, as its state says in just the words of dev-cli. Whatever else is found is for node to judge,
# also a journal that is newer than its state: that may know of more.
have_ended() {
  [ "$root" != "$ended" ] || return 0
  for run in "${root}.dev/specs"/*/; do
    [ -f "${run}state.json" ] && [ -f "${run}events.jsonl" ] || return 1
    [ ! "${run}events.jsonl" -nt "${run}state.json" ] || return 1
  done
  [ -z "$(grep -L -e '^ "status": "completed"' -e '^ "status": "aborted"' -- "${root}.dev/specs"/*/state.json 2>&1)" ] || return 1
  ended=$root
}

# Whether there is something to do at `root`. Of the guard only a plain file is read, so that nothing waits; what is no `open` is
# for node to judge.
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

# Looks at the root that is named, else at that of the current directory, else, since an agent may have gone elsewhere, at that
# of the session. What is found is handed on, so that node finds no other.
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

# A session that begins is noted where dev-cli is installed, before the first run, too.
case $1 in
  pre-tool-use) marks=guard ;;
  session-start) marks='specs install.json memory' ;;
  session-end) marks=specs ;;
  *) marks='specs memory' ;;
esac
case $1 in post-tool-use | stop) needs_live=1 ;; *) needs_live= ;; esac
# A run that has ended may still have to report to them.
case $1 in stop) tasks=.nexus/state/tasks.json ;; *) tasks= ;; esac
ended=
shared=
# A prompt may begin the first run of a project: what it says of autopilot is to be known by then.
enter 2>/dev/null || { [ "$1" = user-prompt-submit ] && [ -d .dev ]; } || exit 0

if [ "$1" = pre-tool-use ]; then
  dev-cli hook "$1" --harness "$2"
  s=$?
  case $s in 0 | 2) exit $s ;; esac
  echo "dev-cli: the guard could not judge this call (exit $s), and a run is guarded here. dev-cli doctor says why." >&2
  exit 2
fi

# Without dev-cli a session goes on; one that begins where it is used is told. Exit code 2 would keep a prompt from the agent, or the
# agent from stopping.
if ! command -v dev-cli >/dev/null; then
  [ "$1" != session-start ] || echo "dev-cli is not on the PATH of this session, and it is installed here: tell the user."
  exit 0
fi
dev-cli hook "$1" --harness "$2" || exit 1
exit 0
