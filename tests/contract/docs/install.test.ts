import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeProjectFile } from '../../support/cli.js';
import { CHECKOUT, createProject, type Project } from '../../support/project.mjs';

// Until there is `install`, the pages say how skills and agents are put into a project: nothing of the user's is overwritten.

let project: Project;
let clone: string;
beforeEach(() => {
  project = createProject({ sample: null, replay: false });
  clone = join(project.home, 'a clone');
  for (const part of ['skills', 'agents']) cpSync(join(CHECKOUT, part), join(clone, part), { recursive: true });
});
afterEach(() => project.remove());

/** The blocks of a page that put something of the clone into a project, as one script. */
function script(page: string): string {
  const text = readFileSync(join(CHECKOUT, page), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks
    .filter((block) => block.includes('CLONE/'))
    .join('\n')
    .replaceAll('CLONE/', `'${clone}'/`);
}

const run = (page: string): string =>
  execFileSync('sh', ['-c', script(page)], { cwd: project.root, env: project.env, encoding: 'utf8' });

const MINE = {
  '.claude/agents/worker.md': 'My own worker.\n',
  '.claude/skills/specify/SKILL.md': 'My own skill.\n',
  '.agents/skills/execute/SKILL.md': 'My own, for Codex.\n',
};

describe.each(['README.md', 'docs/getting-started.md'])('%s', (page) => {
  it('leaves the agents and skills of a user alone, and names them', () => {
    for (const [path, text] of Object.entries(MINE)) writeProjectFile(project, path, text);
    symlinkSync('/nonexistent/verifier.md', join(project.root, '.claude/agents/verifier.md'));
    for (let times = 0; times < 2; times += 1) {
      const said = run(page);
      expect(said).toContain('left as it is: .claude/agents/worker.md\n');
      expect(said).toContain('left as it is: .claude/agents/verifier.md\n');
      expect(said).toContain('left as it is: .claude/skills/specify\n');
      for (const path of ['.claude/agents/worker.md', '.claude/skills/specify/SKILL.md'] as const) {
        expect(readFileSync(join(project.root, path), 'utf8')).toBe(MINE[path]);
      }
    }
    expect(readFileSync(join(project.root, '.agents/skills/execute/SKILL.md'), 'utf8')).toBe('My own, for Codex.\n');
    expect(readdirSync(join(project.root, '.claude/skills/specify'))).toEqual(['SKILL.md']);
    expect(existsSync('/nonexistent')).toBe(false);
    for (const path of ['skills/execute/SKILL.md', 'agents/code-explorer.md']) {
      expect(readFileSync(join(project.root, '.claude', path), 'utf8')).toBe(
        readFileSync(join(CHECKOUT, path), 'utf8'),
      );
    }
  });
});

describe('README.md', () => {
  it('opens .dev to Gemini CLI, once, and keeps what its ignore file says', () => {
    writeProjectFile(project, '.geminiignore', 'secrets/');
    run('README.md');
    run('README.md');
    const lines = readFileSync(join(project.root, '.geminiignore'), 'utf8').trim().split('\n');
    expect(lines).toEqual(['secrets/', '!.dev/**']);
    expect(readdirSync(join(project.root, '.agents/skills'))).toEqual(readdirSync(join(CHECKOUT, 'skills')));
  });
});
