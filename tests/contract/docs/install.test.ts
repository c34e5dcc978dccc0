import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT } from '../../support/project.mjs';

// Checks that the instructions for putting dev-cli into a project work.

useProject({ sample: null, replay: false });
beforeEach(() => {
  mkdirSync(join(project.home, '.claude'));
});

describe.each(['README.md', 'docs/getting-started.md'])('%s', (page) => {
  it('installs into a project with the commands that it shows, and takes it back', () => {
    const text = readFileSync(join(CHECKOUT, page), 'utf8');
    const commands = [...text.matchAll(/^dev-cli (install.*?)(?: +#.*)?$/gm)].map(([, words = '']) => words.split(' '));
    expect(commands.length).toBeGreaterThan(0);
    const before = imageOf(project, '.');
    for (const words of commands) expect(devCli(project, [...words, '--yes', '--json']).code).toBe(0);
    expect(existsSync(join(project.root, '.claude/skills/specify/SKILL.md'))).toBe(true);
    expect(text).toContain('`dev-cli uninstall`');
    devCli(project, ['uninstall', '--yes', '--json']);
    expect(imageOf(project, '.')).toEqual(before);
  });
});
