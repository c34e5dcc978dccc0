// Calls as an agent makes them: whole processes, from start to end.
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { BINARY } from '../tests/support/project.mjs';

/** Milliseconds that a command of dev-cli took. */
export function call(project, ...args) {
  return timed(project, [BINARY, ...args]);
}

/** What a command of dev-cli prints. */
export function answer(project, args) {
  const options = { cwd: project.root, env: quiet(project.env), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const child = spawnSync(process.execPath, [BINARY, ...args], options);
  if (child.status !== 0) throw new Error(`${args.join(' ')}: ${child.stdout}${child.stderr}`);
  return child.stdout;
}

/** Milliseconds that one node process took. */
export function timed(project, args) {
  const options = { cwd: project.root, env: quiet(project.env), stdio: ['ignore', 'pipe', 'pipe'] };
  const from = performance.now();
  const child = spawnSync(process.execPath, args, options);
  const taken = performance.now() - from;
  if (child.status !== 0) throw new Error(`${args.join(' ')}: exit ${child.status} ${child.stdout}${child.stderr}`);
  return taken;
}

function quiet(env) {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = env;
  return rest;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
