// A fleet's night: two workers each start the harness for one of two goals, with the line that `dev-cli init` writes.
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import * as night from './loop.mjs';

export const { agents, codexConfig, play, prompt } = night;

export const title =
  '`dev-cli auto --fleet`: two workers, each with a session of one goal, end them as commits on the remote';
export const driver = join(import.meta.dirname, '../fleet-night.mjs');
export const instead = (project, harness) => [harness, project.root];

export function prepare(project, harness) {
  night.prepare(project, harness);
  appendFileSync(join(project.root, '.ai/config.yaml'), 'fleet: { project: night }\n');
  const git = (...words) => execFileSync('git', words, { cwd: project.root, env: project.env });
  git('commit', '--quiet', '--all', '--message=A fleet for the night');
}
