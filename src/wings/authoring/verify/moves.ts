import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import { isLoop } from '../../../machine/defects.js';
import type { MachineEvent } from '../../../machine/events.js';
import type { ProgramBlock } from '../../../machine/program.js';
import { listOfferedChoiceIds } from '../../../machine/transition.js';
import { BOUND_CHOICES } from '../../../machine/transitions.js';
import { hasTrait } from '../../../recipe/declared.js';
import { findExternalCommand } from '../../../recipe/external-commands.js';
import type { CliBlock, ResolvedBlock, ResolvedChoice } from '../../../recipe/resolved.js';
import { type CountedPlace, type Counts, NOTHING_SPENT } from './place.js';
import { findBlockCommand, needsRemote } from './remote.js';
import { type ExplorationSubject, LARGEST, writesAnyway } from './subject.js';
import { OUTCOME, type WorldChange } from './world.js';

/** An event that is possible where a run rests. */
export interface Move {
  event: MachineEvent;
  /**
   * `work`: an outcome of the block; `own`: a decision that an agent or person can make at any time, such as another
   * round, a redo, a halt or an abort; `inside`: a result of dev-cli's own commands, which no script decides.
   */
  kind: 'work' | 'own' | 'inside';
  /** Whether it can happen only with a remote. */
  remote?: true;
  /** True if nobody is asked, because no agent's condition holds. */
  passed?: true;
  /** True if the world already contains the values that were handed in. */
  handed?: true;
}

/** Tries a move, given what the run knows (its world). Returns null if the move cannot happen. */
export type TryMove = (change: WorldChange) => Move | null;

/** Lists the moves at the block where a run rests. */
export function listMoves(subject: ExplorationSubject, { place, counts }: CountedPlace): TryMove[] {
  const block = subject.recipe.blocks[place.block];
  const machine = subject.program.blocks[place.block];
  if (block === undefined || machine === undefined || place.state === 'halted') return [];
  if (place.state === 'bound') return BOUND_CHOICES.map(chooseAtBound);
  if (hasTrait(block, 'by', 'cli')) return listCommandMoves(subject, place.block, block, machine);
  if (hasTrait(block, 'by', 'engine')) return [always({ type: 'DONE' }), always({ type: 'HALT' })];
  if ('choices' in block && block.choices.length > 0)
    return listChoiceMoves(place.block, block, machine, counts.get(place.block) ?? NOTHING_SPENT);
  const passing = BLOCK_KINDS[block.kind].loops
    ? [
        pass(subject, place.block, block),
        failRound(place.block, block, false),
        ...(machine.asksUser ? [failRound(place.block, block, true)] : []),
      ]
    : [always({ type: 'DONE' })];
  const moves = [...passing, always({ type: 'FAIL' })];
  return 'agents' in block ? asks(place.block, block.agents, moves) : moves;
}

function listChoiceMoves(
  at: number,
  { kind, choices }: Extract<ResolvedBlock, { choices: ResolvedChoice[] }>,
  machine: ProgramBlock,
  { spent, retries, jumps }: Counts,
): TryMove[] {
  const offered = listOfferedChoiceIds(machine, { round: spent, roundBase: 0, retries, jumps });
  const open = choices.filter(({ id }) => offered.includes(id));
  // A block that waits for a person's choice cannot fail (protocol.md §3).
  return [
    ...open.map((one) => choose(at, one)),
    ...(BLOCK_KINDS[kind].by === 'person' ? [] : [always({ type: 'FAIL' })]),
  ];
}

function listCommandMoves(
  subject: ExplorationSubject,
  at: number,
  { command }: CliBlock,
  machine: ProgramBlock,
): TryMove[] {
  const red: MachineEvent = isLoop(machine) ? { type: 'ROUND', filled: false } : { type: 'FAIL' };
  const needs = needsRemote(command);
  const green = always({ type: 'DONE' }, needs ? { remote: true } : {});
  if (command.kind === 'external') return [green, always(red)];
  if (!subject.sections.has(at)) return [green, always(red, { kind: needs ? 'work' : 'inside' })];
  return [
    (change) => (passCheck(subject, at, change) ? { event: { type: 'DONE' }, kind: 'work' } : null),
    (change) => ({ event: red, kind: passCheck(subject, at, change) ? 'inside' : 'work' }),
  ];
}

/** Returns whether a check of the draft can pass; if so, records the required sections as filled. */
function passCheck(subject: ExplorationSubject, at: number, change: WorldChange): boolean {
  if (listUnwritten(subject, at, change).length > 0) return false;
  return change.fill(listDemanded(subject, at, change).map(({ section }) => section));
}

/** Lists the required sections that are unwritten when they are checked. */
export function listUnwritten(subject: ExplorationSubject, block: number, change: WorldChange): string[] {
  return listDemanded(subject, block, change).flatMap(({ section, writers, outcomes }) => {
    const isWritten = outcomes.some(
      (outcome, at) =>
        outcome === OUTCOME.done ||
        outcome === OUTCOME.forgotten ||
        (outcome === OUTCOME.failed && writesAnyway(subject.recipe.blocks[writers[at] ?? -1])),
    );
    return isWritten ? [] : [section];
  });
}

/**
 * Lists the sections that a check requires, except sections whose writers were all skipped (documents.md, draft
 * validate).
 */
function listDemanded(subject: ExplorationSubject, block: number, change: WorldChange) {
  return (subject.sections.get(block) ?? []).flatMap(({ section, writers }) => {
    const outcomes = writers.map((writer) => (writer === block ? OUTCOME.done : change.outcome(writer)));
    return outcomes.every((outcome) => outcome === OUTCOME.skipped) ? [] : [{ section, writers, outcomes }];
  });
}

function always(event: MachineEvent, more: Partial<Move> = {}): TryMove {
  return () => ({ event, kind: 'work', ...more });
}

function choose(at: number, { id, when, grows }: ResolvedChoice): TryMove {
  return (change) => {
    if (grows === true && change.size === LARGEST) return null;
    if (when !== undefined && !change.holds(when, at)) return null;
    return { event: { type: 'CHOOSE', choice: id }, kind: 'work' };
  };
}

/**
 * Chooses where a loop that asks the user has used up its rounds. `more` is no `work` move, because only the user can
 * grant more rounds.
 */
function chooseAtBound(choice: (typeof BOUND_CHOICES)[number]): TryMove {
  return () => ({ event: { type: 'CHOOSE', choice }, kind: choice === 'more' ? 'own' : 'work' });
}

function pass(subject: ExplorationSubject, at: number, block: ResolvedBlock): TryMove {
  const exitWhen = 'exitWhen' in block ? block.exitWhen : undefined;
  const command = findBlockCommand(block);
  const remote = command !== null && needsRemote(command) ? { remote: true as const } : {};
  return (change) => {
    change.hand(at, 'done', null);
    change.setOutcome(at, OUTCOME.done);
    if (!passCheck(subject, at, change)) return null;
    const isMet = exitWhen === undefined || change.holds(exitWhen, at);
    return isMet ? { event: { type: 'DONE' }, kind: 'work', handed: true, ...remote } : null;
  };
}

/** Tries a round that does not pass. If the loop asks the user, a round that fills in a section does not count. */
function failRound(at: number, block: ResolvedBlock, filled: boolean): TryMove {
  const exitWhen = 'exitWhen' in block ? block.exitWhen : undefined;
  const checks = findExternalCommand(block) !== null || ('exitCheck' in block && block.exitCheck !== undefined);
  return (change) => {
    change.hand(at, 'done', null);
    change.setOutcome(at, OUTCOME.done);
    if (!checks && exitWhen !== undefined && change.holds(exitWhen, at)) return null;
    return { event: { type: 'ROUND', filled }, kind: filled ? 'own' : 'work', handed: true };
  };
}

/** Adds the case that every agent has a condition and none holds: then nobody is asked, and the block is done. */
function asks(at: number, agents: readonly { when?: string }[], moves: TryMove[]): TryMove[] {
  if (agents.some(({ when }) => when === undefined)) return moves;
  const isAsked = (change: WorldChange) => agents.map(({ when }) => change.holds(when ?? '', at)).includes(true);
  return [
    ...moves.map(
      (move): TryMove =>
        (change) =>
          isAsked(change) ? move(change) : null,
    ),
    (change) => (isAsked(change) ? null : { event: { type: 'DONE' }, kind: 'work', passed: true, handed: true }),
  ];
}
