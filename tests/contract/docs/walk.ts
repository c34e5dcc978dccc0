import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKOUT, type Project } from '../../support/project.mjs';
import { findRealTerminal } from '../../support/terminal.mjs';

/**
 * A step of a page with a walkthrough. In the page, an HTML comment before each fenced block says what the block is:
 * - `file: PATH`: a file to be written. `(wrong on purpose)` after the path marks a file with a deliberate mistake.
 * - `run`: a command and its output; with `, exit N`, the command ends with this exit code instead of 0.
 * - `terminal`: the same as `run`, typed by a person at a terminal; with `, types TEXT`, the person also answers a
 *   question.
 */
export type Step =
  | { kind: 'file'; path: string; text: string; wrong: boolean }
  | { kind: 'run'; command: string; expected: string; exit: number; terminal: boolean; answer?: string };

const STEP =
  /^<!-- (?:file: (?<path>\S+)(?<wrong> \(wrong on purpose\))?|(?<run>run|terminal)(?:, exit (?<exit>\d+))?(?:, types (?<typed>\S+))?) -->\n```\w+\n(?<text>[\s\S]*?)^```$/gm;

/** Lists the steps of a page in order. */
export function stepsOf(page: string): Step[] {
  const text = readFileSync(join(CHECKOUT, page), 'utf8');
  return [...text.matchAll(STEP)].map(({ groups = {} }): Step => {
    const { path, wrong, run, exit = '0', typed, text: block = '' } = groups;
    if (path !== undefined) return { kind: 'file', path, text: block, wrong: wrong !== undefined };
    const [first = '', ...rest] = block.split('\n');
    return {
      kind: 'run',
      command: first.replace(/^\$ /, ''),
      expected: rest.join('\n'),
      exit: Number(exit),
      terminal: run === 'terminal',
      ...(typed === undefined ? {} : { answer: typed }),
    };
  });
}

/** Carries out one step in a project. Returns how the outcome differs from the page, or null. */
export function take(step: Step, project: Project): string | null {
  if (step.kind === 'file') {
    write(project, step.path, step.text);
    return null;
  }
  const { exit, output } = execute(step, project);
  if (exit !== step.exit) return `${step.command}: exit ${exit}\n${output}`;
  return matches(step.expected, output) ? null : `${step.command}\nprinted\n${output}\nnot\n${step.expected}`;
}

function execute({ command, terminal, answer }: Extract<Step, { kind: 'run' }>, { root, env }: Project) {
  if (terminal) {
    const inTerminal = findRealTerminal();
    if (inTerminal === null) throw new Error('a walk with a terminal was not skipped');
    const { exit, output } = inTerminal(command, { cwd: root, env, answers: answer === undefined ? [] : [answer] });
    return { exit, output: seen(output) };
  }
  const child = spawnSync('sh', ['-c', command], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { exit: child.status ?? -1, output: `${child.stdout}${child.stderr}` };
}

/** Removes cursor movements, leaving what is visible on a terminal. */
function seen(output: string): string {
  return output.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');
}

/** Whether an output matches what a page shows, ignoring white space; `…` stands for anything. */
export function matches(expected: string, output: string): boolean {
  const bare = (text: string) => text.replace(/\s+/g, '');
  const parts = bare(expected)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'u').test(bare(output));
}

/** Makes the history that the walkthroughs begin with: a tag, and one commit after it. */
export function tagged(project: Project): Project {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root, env: project.env, stdio: 'pipe' });
  git('tag', 'v1.3.0');
  writeFileSync(
    join(project.root, 'README.md'),
    `${readFileSync(join(project.root, 'README.md'), 'utf8')}\nStart it.\n`,
  );
  git('commit', '--quiet', '--all', '--message', 'README: how to start');
  return project;
}

function write(project: Project, path: string, text: string): void {
  const target = join(project.root, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
