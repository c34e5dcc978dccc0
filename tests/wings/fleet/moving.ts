import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { createContext } from '../../../src/app/context.js';
import { grantTrust } from '../../../src/project/trust.js';
import { initRun } from '../../../src/protocol/init/init.js';
import { requireRecipe } from '../../../src/recipe/load/load.js';
import type { Context } from '../../../src/run/context.js';
import { openClone } from '../../../src/wings/fleet/clone.js';
import { packRun } from '../../../src/wings/fleet/freight.js';
import { addTree, pointTree } from '../../../src/work/trees.js';
import { devCli } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { gitIn, put } from './repository.js';

/** Two machines of a fleet: each with a home, a state directory and a clone of its own, and a shared remote. */

export const RUN = 'g-1';
const GOAL = 'g';

/** A machine, with the path of the attempt's tree. */
export interface Machine extends Project {
  tree: string;
}

const machines: Machine[] = [];
afterEach(() => {
  for (const machine of machines.splice(0)) machine.remove();
});

function addMachine(sample: string | null): Machine {
  const project = createProject({ sample });
  const machine = { ...project, tree: join(project.home, 'trees', RUN) };
  // A test that breaks a journal sets `replay` of the machine; the project's `remove` reads that of the project.
  machine.remove = () => {
    project.replay = machine.replay;
    project.remove();
  };
  machines.push(machine);
  return machine;
}

/** Opens a machine on which an attempt begins, with its tree, and another with only a clone. */
export async function openMachines(): Promise<{ here: Machine; there: Machine; remote: string; base: string }> {
  const here = addMachine('todo-api');
  const remote = join(here.home, 'remote.git');
  execFileSync('git', ['clone', '--quiet', '--bare', here.root, remote]);
  gitIn(here.root)('remote', 'add', 'origin', remote);
  const base = gitIn(here.root)('rev-parse', 'HEAD');
  await addAttemptTree(here, base);
  return { here, there: await addClone(remote), remote, base };
}

/** Creates the attempt's tree on a machine. */
export async function addAttemptTree(machine: Machine, base: string): Promise<void> {
  await addTree(machine.root, machine.tree, base, machine);
  await pointTree(machine.tree, { root: machine.root, run: RUN, below: '', goal: GOAL }, machine);
}

/** Adds another machine with a clone. */
export async function addClone(remote: string): Promise<Machine> {
  const machine = addMachine(null);
  rmSync(machine.root, { recursive: true });
  await openClone({ directory: machine.root, url: remote, remote: 'origin', git: { env: machine.env } });
  for (const [key, value] of [['user.name', 'A Worker'] as const, ['user.email', 'worker@example.invalid'] as const])
    gitIn(machine.root)('config', key, value);
  return machine;
}

/** Creates the context of a use case on a machine. */
export function contextOn({ root, env }: Project): Context {
  const nobody = async (): Promise<never> => {
    throw new Error('nobody is asked');
  };
  return createContext(
    {
      ...{ cwd: root, env, given: {}, stdinIsTerminal: false, stdoutIsTerminal: false },
      ...{ signal: new AbortController().signal, tell: () => {}, ask: nobody, decide: nobody },
      readInput: () => Buffer.alloc(0),
    },
    'fleet',
  );
}

/** Begins the run of the attempt as `auto` does, in process. */
export async function beginRun(machine: Machine, given: Parameters<typeof initRun>[2]): Promise<void> {
  const { warnOfSilence: _, ...context } = contextOn(machine);
  const origin = { kind: 'goal', id: GOAL, attempt: 1 };
  const set = { pull_request: 'false' };
  await initRun({ ...context, workTree: machine.tree, session: null }, RUN, {
    goal: 'Write a file',
    set,
    origin,
    new: true,
    ...given,
  });
}

/** Replaces one machine's paths in a text by the other's. */
export const translate = (text: string, from: Machine, to: Machine): string =>
  text.replaceAll(from.tree, to.tree).replaceAll(from.root, to.root);

/** Calls `next`, and reads the prompts that its answer names. */
export function askNext(machine: Machine, cwd = machine.root): { answer: string; prompts: string[] } {
  const { stdout, code, stderr } = devCli(machine, ['next', RUN, '--full', '--json'], { cwd });
  if (code !== 0) throw new Error(`next: ${stdout}${stderr}`);
  const named = [...stdout.matchAll(/"promptFile":"([^"]+)"/g)].map(([, path = '']) => path);
  const prompts = named.map((path) => readFileSync(path.startsWith('/') ? path : join(machine.root, path), 'utf8'));
  return { answer: stdout, prompts };
}

/** A recipe with a gate, after which dev-cli runs a command. */
const ASK_FIRST = `name: ask-first
type: sequential
description: "Work on a goal; a person looks before anything is integrated."
goal: required
guard: { writes: ["**"], sources: free }
blocks:
  - id: work
    type: subagent
    agents:
      - { type: Explore, id: one, output: note.md }
  - id: look
    type: wait-for-user
    human: required
    artifact: note.md
    message: The goal is reached. May it be integrated?
    choices:
      - { id: integrate, label: integrate it }
      - { id: again, label: not yet, goto: work, reason: required }
  - { id: tell, type: cli, command: "touch {workTree}/told.txt" }
`;

/** Adds that recipe to a machine's project, and trusts it there. @returns its digest */
export function addRecipe(machine: Machine): string {
  put(machine.root, { '.dev/recipes/ask-first.yaml': ASK_FIRST });
  const context = contextOn(machine);
  const { digest } = requireRecipe(context.library, 'ask-first');
  grantTrust(context.trustDirectory, digest);
  return digest;
}

/** A note too long for a line of the journal. */
const NOTE = [
  ...['---', 'agent: one', 'status: complete', 'summary: Done.', 'timestamp: 2026-11-28T04:00:00Z', '---', ''],
  'x'.repeat(70_000),
  '',
].join('\n');

/** Opens two machines: on the first, a run of that recipe is at its gate; the second trusts the recipe's digest. */
export async function openAtGate() {
  const machines = await openMachines();
  const { here, there } = machines;
  const trusted = new Set([addRecipe(here)]);
  await beginRun(here, { recipe: 'ask-first' });
  const earlier = await packRun(contextOn(here), RUN);
  put(here.root, { [`.dev/specs/${RUN}/note.md`]: NOTE });
  const { stdout, code } = devCli(here, ['step', 'complete', RUN, '--action', 'a1'], { cwd: here.tree });
  if (code !== 0) throw new Error(stdout);
  const placing = { workTree: there.tree, trusted, ahead: 'refuse' as const };
  return { ...machines, placing, earlier, freight: await packRun(contextOn(here), RUN) };
}
