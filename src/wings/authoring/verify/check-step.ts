import { listBlockConditions } from '../../../recipe/conditions/text.js';
import { needsPerson } from '../../../recipe/declared.js';
import { findExternalCommand } from '../../../recipe/external-commands.js';
import type { GateBlock } from '../../../recipe/resolved.js';
import { quoteWord } from '../../../recipe/source/yaml.js';
import { listBlockWrites, matchesPath } from '../../../recipe/writes.js';
import { isSetByAgents, renderValueName } from './deciders.js';
import type { Watch, WatchedStep } from './explore.js';
import type { VerifyFinding } from './finding.js';
import { listUnwritten } from './moves.js';
import type { ExplorationSubject, SubjectRead } from './subject.js';
import { OUTCOME, type WorldChange } from './world.js';

/** Where something was first observed: the state, and the edge that led to it. */
interface Seen {
  node: number;
  edge: number;
}

/**
 * Checks each step of an exploration. Of several equal findings, keeps only the first, because its path is the
 * shortest.
 */
export class StepChecker implements Watch {
  readonly #found = new Map<string, VerifyFinding>();
  /** By block index: where the block was first entered and, in `skipped`, where it was first skipped. */
  readonly entered = new Map<number, Seen>();
  readonly skipped = new Map<number, Seen>();
  /** Reads that occurred and, in `#present`, those whose document existed. */
  readonly #read = new Map<SubjectRead, { block: number } & Seen>();
  readonly #present = new Set<SubjectRead>();
  readonly #rewriters: ReadonlyMap<number, readonly GateBlock[]>;

  constructor(readonly subject: ExplorationSubject) {
    this.#rewriters = findRewriters(subject);
  }

  /** Lists the findings, including those that only a complete exploration reveals. */
  list(): VerifyFinding[] {
    for (const [read, { block, node, edge }] of this.#read) {
      if (!this.#present.has(read) && read.writers.some((writer) => writer.block < block))
        this.#noteNeverWritten(read, block, { node, edge });
    }
    return [...this.#found.values()];
  }

  step({ change, learned, edge, to }: WatchedStep): void {
    const seen: Seen = { node: to, edge };
    for (const { value, source } of change.unset) this.#noteUnset(value, source, seen);
    for (const effect of learned.effects) {
      switch (effect.type) {
        case 'settle': {
          const block = this.#index(effect.block);
          if (effect.status === 'skipped' && !this.skipped.has(block)) this.skipped.set(block, seen);
          this.#checkGate(block, effect.status, change, seen);
          break;
        }
        case 'issue':
        case 'execute':
        case 'engine':
          this.#enter(this.#index(effect.block), change, seen);
          break;
        case 'stale':
        case 'end':
          break;
      }
    }
  }

  #enter(block: number, change: WorldChange, seen: Seen): void {
    if (!this.entered.has(block)) this.entered.set(block, seen);
    for (const read of this.subject.reads[block] ?? []) this.#checkRead(read, block, change, seen);
    for (const { block: of, key } of this.subject.needed[block] ?? []) {
      const outcome = change.outcome(of);
      const isSet = outcome === OUTCOME.done || outcome === OUTCOME.forgotten;
      if (!isSet && !(key.endsWith('.exit') && outcome === OUTCOME.failed))
        this.#noteMissingValue(block, key, outcome, seen);
    }
    for (const section of listUnwritten(this.subject, block, change)) this.#noteSection(block, section, seen);
  }

  #checkRead(read: SubjectRead, block: number, change: WorldChange, seen: Seen): void {
    const earlier = read.writers.filter((writer) => writer.block <= block);
    const outcomes = earlier.map((writer) => change.outcome(writer.block));
    const isPresent = outcomes.some((outcome) => outcome === OUTCOME.done || outcome === OUTCOME.forgotten);
    if (!this.#read.has(read)) this.#read.set(read, { block, ...seen });
    if (isPresent) this.#present.add(read);
    if (isPresent || read.without === 'missing') return;
    // Whoever reads the prompt knows why the document is absent: the prompt leaves out the document of a skipped block,
    // and reports one that an agent did not deliver as missing.
    const isTold = earlier.every(
      (writer, at) =>
        outcomes[at] === OUTCOME.skipped ||
        (outcomes[at] === OUTCOME.failed && 'agents' in (this.subject.recipe.blocks[writer.block] ?? {})),
    );
    if (read.without === 'skipped' && earlier.length > 0 && isTold) return;
    const id = this.#id(block);
    const why = earlier.map((writer, at) => `${quoteWord(this.#id(writer.block))} ${OUTCOME_WORDS[outcomes[at] ?? 0]}`);
    this.#note(`file ${block} ${read.path}`, {
      kind: 'file-unwritten',
      message: `${quoteWord(id)} reads ${quoteWord(read.path)}, but no block has written it before${why.length === 0 ? '' : `: ${why.join(', ')}`}.`,
      fix: 'Give both blocks the same `when`, or have the file written earlier in every case.',
      place: read.place,
      within: read.path,
      ...seen,
    });
  }

  #noteNeverWritten(read: SubjectRead, block: number, seen: Seen): void {
    const writers = read.writers.map((writer) => quoteWord(this.#id(writer.block))).join(', ');
    this.#note(`never ${block} ${read.path}`, {
      kind: 'never-written',
      message: `${quoteWord(this.#id(block))} reads ${quoteWord(read.path)}, but the file never exists then: whenever this block runs, ${writers} was skipped.`,
      fix: 'The conditions contradict each other. Correct a `when`, or do not name the file.',
      place: read.place,
      within: read.path,
      ...seen,
    });
  }

  #noteUnset(value: number, source: string, seen: Seen): void {
    const { values, recipe } = this.subject;
    const [, of = '', member = ''] = values[value]?.path ?? [];
    const at = recipe.blocks.findIndex((block) => listBlockConditions(block).includes(source));
    const block = recipe.blocks[at];
    if (block === undefined) return;
    const key = block.when === source ? 'when' : 'exitWhen' in block && block.exitWhen === source ? 'exitWhen' : 'id';
    this.#note(`unset ${at} ${of} ${member}`, {
      kind: 'value-unset',
      message: `The condition of ${quoteWord(block.id)} reads \`${member}\` of ${quoteWord(of)}, but in this case there is no such value.`,
      fix: `Test \`blocks["${of}"].status == "done"\` first, or give both blocks the same \`when\`.`,
      place: ['blocks', at, key],
      ...seen,
    });
  }

  #noteMissingValue(block: number, key: string, outcome: number, seen: Seen): void {
    const [of = ''] = key.split('.');
    this.#note(`value ${block} ${key}`, {
      kind: 'value-unset',
      message: `${quoteWord(this.#id(block))} needs {blocks.${key}}, but in this case it is not set: ${quoteWord(of)} ${OUTCOME_WORDS[outcome]}.`,
      fix: 'Give both blocks the same `when`.',
      place: ['blocks', block],
      within: `{blocks.${key}}`,
      ...seen,
    });
  }

  #noteSection(block: number, section: string, seen: Seen): void {
    this.#note(`section ${section}`, {
      kind: 'section-unwritten',
      message: `${quoteWord(this.#id(block))} checks the draft, but in this case no block has written the required section ${quoteWord(section)} before.`,
      fix: 'Have a block write the section in every case, or do not require it.',
      place: ['blocks', block],
      ...seen,
    });
  }

  #checkGate(index: number, status: 'done' | 'skipped' | 'failed', change: WorldChange, seen: Seen): void {
    const { blocks } = this.subject.recipe;
    const block = blocks[index];
    if (status === 'done') for (const gate of this.#rewriters.get(index) ?? []) this.#noteRewritten(gate, index, seen);
    if (status !== 'skipped' || block?.when === undefined || !needsPerson(block)) return;
    const key = `skipped ${index}`;
    if (this.#found.has(key)) return;
    const open = change.listOpen(block.when, (path, getValue) => isSetByAgents(path, blocks, getValue));
    if (open.length === 0) return;
    this.#note(key, {
      kind: 'gate-bypassed',
      message: `${quoteWord(block.id)} needs a person, but decisions of agents can skip it: ${open.map(renderValueName).join(', ')}.`,
      fix: 'Leave the `when` out, or let it read only values that no agent decides: mode, vars, preferences, what a person chose, `exit` or `status` of a command that no agent has skipped, or whether a loop with an external `exitCheck` has failed: `blocks["ID"].status == "failed"`.',
      place: ['blocks', index, 'when'],
      ...seen,
    });
  }

  #noteRewritten(gate: GateBlock, index: number, seen: Seen): void {
    this.#note(`rewritten ${gate.id} ${index}`, {
      kind: 'gate-bypassed',
      message: `${quoteWord(this.#id(index))} writes ${quoteWord(gate.artifact ?? '')} after ${quoteWord(gate.id)} has approved it, and no person is asked again.`,
      fix: 'Write it before the gate, or ask again afterwards.',
      place: ['blocks', index],
      ...seen,
    });
  }

  #note(key: string, finding: VerifyFinding): void {
    if (!this.#found.has(key)) this.#found.set(key, finding);
  }

  #index(id: string): number {
    return this.subject.index.get(id) ?? -1;
  }

  #id(block: number): string {
    return this.subject.recipe.blocks[block]?.id ?? '';
  }
}

const OUTCOME_WORDS: Readonly<Record<number, string>> = {
  [OUTCOME.pending]: 'comes later',
  [OUTCOME.done]: 'is done',
  [OUTCOME.skipped]: 'was skipped',
  [OUTCOME.failed]: 'has failed',
};

/** Maps each block to the gates whose artifact it rewrites after a person's approval, if no later gate asks again. */
function findRewriters({ recipe: { blocks } }: ExplorationSubject): Map<number, GateBlock[]> {
  const gates = blocks.flatMap((block, at) =>
    needsPerson(block) && block.artifact !== undefined ? [{ block, at }] : [],
  );
  return new Map(
    blocks.map((writer, at) => [
      at,
      gates.flatMap(({ block: gate, at: before }) => {
        const writes =
          findExternalCommand(writer) === null &&
          listBlockWrites(writer).some(({ path }) => matchesPath(path, gate.artifact ?? ''));
        const asksAgain = gates.some(
          (later) => later.at > at && later.block.artifact === gate.artifact && later.block.when === undefined,
        );
        return before < at && writes && !asksAgain ? [gate] : [];
      }),
    ]),
  );
}
