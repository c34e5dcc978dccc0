import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKOUT, createProject, type Project } from '../support/project.mjs';

// The package as published: exactly what npm packs, without the rest of this checkout.

let project: Project;
let bin: string;
beforeAll(() => {
  project = createProject({ sample: null });
  const out = join(project.home, 'packed');
  mkdirSync(out);
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename = '', name = '' } = {}] = JSON.parse(packed) as { filename?: string; name?: string }[];
  const modules = join(project.root, 'node_modules');
  mkdirSync(modules);
  execFileSync('tar', ['-xzf', join(out, filename), '-C', modules]);
  execFileSync('mv', [join(modules, 'package'), join(modules, name)]);
  const { dependencies } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  // Its only dependency, ajv, is linked from the checkout, together with the packages that ajv needs.
  expect(Object.keys(dependencies)).toEqual(['ajv']);
  for (const needed of ['ajv', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse', 'require-from-string'])
    symlinkSync(join(CHECKOUT, 'node_modules', needed), join(modules, needed));
  writeFileSync(join(project.root, '.gitignore'), 'node_modules\n');
  bin = join(modules, name, 'bin/dev-cli.js');
}, 120_000);
afterAll(() => project.remove());

const call = (...args: string[]) => {
  const around = { cwd: project.root, env: project.env, encoding: 'utf8' as const };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], around);
  return { status, stdout, stderr };
};

describe('the packed tarball', () => {
  it('installs into a project, and takes it back', () => {
    expect(call('install', '--harness', 'claude,codex,gemini', '--yes').status).toBe(0);
    expect(readFileSync(join(project.root, '.claude/skills/specify/SKILL.md'), 'utf8')).toContain('name: specify');
    expect(call('uninstall', '--yes').status).toBe(0);
  });

  it('plans, with the recipes, prompts and agents that it needs', () => {
    const begun = call('init', 'greet', '--goal', 'Greet by name', '--size', 'middle');
    expect(JSON.parse(begun.stdout)).toMatchObject({ ok: true, next: { block: 'classify-intent' } });
    const next = call('step', 'complete', 'greet', '--action', 'a1', '--choice', 'Feature');
    expect(JSON.parse(next.stdout)).toMatchObject({ next: { action: 'dispatch-subagents' } });
  });

  it('shows a change from the request to commits', { timeout: 120_000 }, () => {
    const shown = call('demo', 'small');
    expect(shown.status, shown.stdout + shown.stderr).toBe(0);
    expect(shown.stdout).toContain('1 todo carried out');
    expect(shown.stdout).toMatch(/dev-cli committed todo-1/);
  });

  it('shows how a session goes on where another one ended', { timeout: 240_000 }, () => {
    const shown = call('demo', 'handoff');
    expect(shown.status, shown.stdout + shown.stderr).toBe(0);
    expect(shown.stdout).toContain('Every answer was the truth.');
    expect(shown.stdout.match(/^ {2}true /gm)).toHaveLength(40);
  });

  it('shows how several tools share one plan', { timeout: 240_000 }, () => {
    const shown = call('demo', 'nexus');
    expect(shown.status, shown.stdout + shown.stderr).toBe(0);
    expect(shown.stdout).toContain('Nothing was lost.');
    expect(shown.stdout.match(/^ {2}true /gm)).toHaveLength(13);
  });

  it('knows no demonstration of another name', () => {
    expect(call('demo', 'huge').status).toBe(2);
  });
});
