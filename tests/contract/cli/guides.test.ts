import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerGuide, findGuide, GUIDES } from '../../../src/cli/guides.js';
import { REGISTRY } from '../../../src/registry/find.js';
import { devCli } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { CHECKOUT } from '../../support/project.mjs';

// protocol.md §5: `help` prints the pages of the documentation that people and agents ask for by name.

const freshProject = freshProjects();
const readPage = (guide: string) => readFileSync(join(CHECKOUT, 'docs', `${guide}.md`), 'utf8');

describe('a guide', () => {
  it('is printed by the binary as it ships, from any directory', () => {
    const printed = execFileSync(process.execPath, [join(CHECKOUT, 'bin/dev-cli.js'), 'help', 'authoring'], {
      cwd: freshProject().root,
      encoding: 'utf8',
    });
    expect(printed).toBe(`${readPage('authoring').trimEnd()}\n`);
  });

  it.each(GUIDES)('%s is a page that ships', (guide) => {
    const { files } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { files: string[] };
    expect(files).toContain('docs/*.md');
    expect(files).not.toContain(`!docs/${guide}.md`);
    expect(findGuide([guide])).toBe(guide);
    expect(answerGuide(guide).json).toEqual({ ok: true, guide, text: readPage(guide) });
  });

  it('is named by help, and has the name of no command', () => {
    const { stdout } = devCli(freshProject(), ['help', '--text']);
    for (const guide of GUIDES) expect(stdout).toMatch(new RegExp(`[ ,]${guide}(,|\\n)`));
    const words = REGISTRY.commands.map(({ name }) => name.split(' ')[0]);
    expect(words.filter((word) => GUIDES.some((one) => one === word))).toEqual([]);
  });

  it('that does not exist is no command either', () => {
    for (const words of [['authorin'], ['../package'], ['authoring', 'errors']])
      expect(devCli(freshProject(), ['help', ...words, '--json']).json.error?.code).toBe('UNKNOWN_COMMAND');
  });
});
