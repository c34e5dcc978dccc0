// After install, a session with a refused write, and uninstall, the project and the home directory are as before.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from '../digests.mjs';
import { call } from '../player.mjs';

export const title = 'install, a session, uninstall: byte for byte as before but for .dev';
export const prompt = 'Begin.';
export const extras = ['memory'];

// A person's settings, formatted in the person's own way, to which dev-cli's are added until the uninstall.
const SETTINGS = {
  gemini: '{\n\t// mine\n\t"ui": { "hideTips": true }\n}\n',
  codex: '{ "hooks": {"Stop" : [ { "hooks": [{"type":"command","command":"true"}] } ] } }',
};
const FILES = { gemini: '.gemini/settings.json', codex: '.codex/hooks.json' };

export function prepare(project, harness) {
  mkdirSync(join(project.root, `.${harness}`));
  writeFileSync(join(project.root, FILES[harness]), SETTINGS[harness]);
  if (harness === 'gemini') writeFileSync(join(project.root, '.geminiignore'), 'secret.txt');
}

/** Files in the home directory that the harnesses themselves write; installing into a project does not touch them. */
const OF_PROGRAMS = /^\.(?:gemini|codex|cache)$/;
/** Paths that may change: git's data on commits and the index, and .dev, which uninstalling leaves to the project. */
const WITHOUT = /^(?:\.dev|node_modules|\.git\/(?:index|objects|logs|refs|COMMIT_EDITMSG|HEAD))$/;
const lookAt = (project, home) => ({
  project: digest(project.root, WITHOUT),
  home: digest(home, OF_PROGRAMS),
  ofDevCli: digest(project.home, /^$/),
});

export const look = lookAt;

export async function* play(ctx) {
  const { next } = yield* call(ctx, 'dev-cli init todo-colour --recipe specify-quick-interactive --goal Colour');
  const [{ isError }] = yield ctx.write('src/planned.js', 'export {};\n');
  assert.ok(isError);
  yield ctx.sh('dev-cli next todo-colour');
  assert.equal(next.run, 'todo-colour');
  yield 'Is it right so far?';
}

export function check(project, { home, before, uninstall, history }) {
  assert.notDeepEqual(lookAt(project, home).project, before.project, 'nothing was installed');
  uninstall();
  assert.deepEqual(lookAt(project, home), before);
  assert.equal(history('todo-colour').runs[0].by.kind, 'agent');
}
