import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runDir } from '../../support/cli.js';
import { contentOf } from '../../support/journal.js';
import type { Project } from '../../support/project.mjs';
import type { Random } from '../../support/seeded.js';
import type { Observed, Operation, Recorded } from './race-history.js';
import { call } from './victims.js';

/** The run on which all processes work. */
export const NAME = 'run-1';

const STEPS = ['one', 'two', 'three', 'four', 'five', 'six'] as const;
const COLOUR = 'colour';

/** Plain blocks and one with a choice, which any process can acknowledge. The last block writes the run's draft. */
export const RACE_BLOCKS = [
  ...STEPS.map((id, index) =>
    index === 3
      ? `\n  - { id: ${COLOUR}, type: llm, instruction: Choose., choices: [red, blue] }\n`
      : `\n  - { id: ${id}, type: llm, instruction: Do it. }\n`,
  ),
  '\n  - { id: reports, type: cli, command: "dev-cli draft import {name}" }\n',
];

/** One of many callers: asks questions, acknowledges the action that it believes pending, and gets in others' way. */
export class Racer {
  readonly observed: Observed[] = [];
  /** Every action that this racer has seen; it believes that the last one is pending. */
  private readonly seen = [{ actionId: 'a999', block: 'invented' }];
  private lines = 0;

  constructor(
    private readonly project: Project,
    private readonly client: number,
    private readonly random: Random,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  async race(calls: number, last: Operation | null): Promise<void> {
    for (let n = 0; n < calls; n += 1) await this.one(this.choose());
    if (last !== null) await this.one(last);
  }

  private choose(): Operation {
    const draw = this.random.unit();
    const pending = this.seen.at(-1);
    if (draw < 0.34 && pending !== undefined) return acknowledgement(pending, this.random);
    if (draw < 0.5) return { kind: 'next' };
    if (draw < 0.58) return { kind: 'manifest' };
    if (draw < 0.66) return { kind: 'status' };
    const late = this.seen[this.random.below(this.seen.length)];
    if (draw < 0.76 && late !== undefined) return acknowledgement(late, this.random);
    if (draw < 0.82) return { kind: 'invalidate', block: this.random.pick(['one', 'two', 'five']) };
    if (draw < 0.86) return { kind: 'use' };
    this.lines += 1;
    return { kind: 'append', line: `- line ${this.lines} of ${this.client}` };
  }

  private async one(operation: Operation): Promise<void> {
    const from = journalSize(this.project);
    const { code, json, stdout } = await call(this.project, wordsOf(operation), this.env);
    const to = journalSize(this.project);
    if (json === null) throw new Error(`no answer to ${JSON.stringify(operation)}: ${stdout}`);
    this.observed.push({ client: this.client, operation, from, to, code, json });
    const action = operation.kind === 'next' ? json : json.next;
    if (action?.actionId === undefined || action.block === undefined) return;
    this.seen.push({ actionId: action.actionId, block: action.block });
  }
}

function acknowledgement({ actionId, block }: { actionId: string; block: string }, random: Random): Operation {
  const choice = random.pick(['red', 'blue']);
  return { kind: 'acknowledge', actionId, ...(block === COLOUR ? { choice } : {}) };
}

function wordsOf(operation: Operation): string[] {
  switch (operation.kind) {
    case 'next':
      return ['next', NAME];
    case 'manifest':
    case 'status':
      return [operation.kind, NAME, '--json'];
    case 'use':
      return ['use', NAME];
    case 'abort':
      return ['abort', NAME, '--reason', 'enough'];
    case 'invalidate':
      return ['step', 'invalidate', NAME, '--step', operation.block];
    case 'acknowledge':
      return [
        ...['step', 'complete', NAME, '--action', operation.actionId],
        ...(operation.choice === undefined ? [] : ['--choice', operation.choice]),
      ];
    case 'append': {
      const data = JSON.stringify([operation.line.slice(2)]);
      return ['draft', 'update', NAME, '--section', 'findings', '--append', '--data', data];
    }
  }
}

function journalSize(project: Project): number {
  return statSync(join(runDir(project, NAME), 'events.jsonl')).size;
}

/** Returns the state of the disk at the end. */
export function recordedBy(project: Project): Recorded {
  return {
    journal: readFileSync(join(runDir(project, NAME), 'events.jsonl'), 'utf8'),
    content(digest) {
      return contentOf(project, NAME, digest)?.toString('utf8') ?? '';
    },
  };
}
