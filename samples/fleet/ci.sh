#!/bin/sh
# A worker of a fleet for the time of a CI job (docs/fleet.md). On the machine: git with a name and an e-mail address, the agent's tool,
# and npm i -g dev-cli-agent @dbos-inc/dbos-sdk@5 pg@8. In the environment:
#   DEV_CLI_DATABASE  the URL of the database, a secret
#   FLEET_PROJECT     the id of the project, as `fleet.project` of .ai/config.yaml
#   FLEET_REMOTE      where git clones it from and pushes to; a token in it is a secret
#   FLEET_TRUST       digests of commands that may run here, separated by blanks
#   FLEET_SLOTS       attempts at once; 2
#   FLEET_MINUTES     works for so long; without it, until nothing is ready
set -eu
directory="${XDG_CONFIG_HOME:-$HOME/.config}/dev-cli"
mkdir -p "$directory"
{
  printf 'slots: %s\nprojects:\n' "${FLEET_SLOTS:-2}"
  printf '  - project: %s\n    remote_url: "%s"\n    trust: [' "$FLEET_PROJECT" "$FLEET_REMOTE"
  for digest in ${FLEET_TRUST:-}; do printf '"%s", ' "$digest"; done
  printf ']\n'
} >"$directory/fleet.yaml"
[ -n "${FLEET_MINUTES:-}" ] || exec dev-cli fleet worker --once
# A signal has it end its sessions and give back what it has.
timeout -s INT "${FLEET_MINUTES}m" dev-cli fleet worker || [ $? -eq 124 ]
