import type { Action } from '../../../support/agent.mjs';
import { readImage, restoreImage } from '../../../support/image.js';
import type { Position } from './calls.js';
import { difference, judgeCut, judgeEnd } from './judge.js';
import type { Lane, Told } from './lane.js';
import { normalAnswer, normalRepeated } from './normal.js';
import { type Call, documentOf } from './story.js';

/** A point at which a command is cut. */
export interface Point {
  /** The index of the command in the story. */
  step: number;
  /** Counted from 1. */
  call: number;
  position: Position;
}

/** How thoroughly a cut is followed up. */
export interface FollowUp {
  /** Whether to call `next` before repeating the command. */
  ask: boolean;
  /** Whether to continue to the end of the story. */
  toTheEnd: boolean;
}

/** Cuts a command at one point, follows up, and returns the problems. */
export async function tryPoint(lane: Lane, point: Point, { ask, toTheEnd }: FollowUp): Promise<string[]> {
  const told = lane.told[point.step] as Told;
  const { root } = lane.project;
  restoreImage(root, told.before, told.directories);
  const cut = await lane.run(told.step, told.pending, { trace: null, cut: point });
  if (cut.signal !== 'SIGKILL') return [`the cut was never reached: exit ${cut.exit}`];
  const { problems, happened } = judgeCut(told, readImage(root), cut, root);
  const again = !happened || told.step.repeatable !== false;
  if (ask || !again) problems.push(...judgeNext(told, await lane.next(told.step), happened, root));
  if (again) problems.push(...judgeAgain(told, await lane.run(told.step, told.pending, null), happened, root));
  problems.push(...judgeEnd(told, readImage(root), root));
  if (toTheEnd && problems.length === 0) problems.push(...(await goOn(lane, point.step)));
  return problems;
}

function judgeNext(told: Told, asked: Call, happened: boolean, root: string): string[] {
  const wanted = happened ? told.nextAfter : told.nextBefore;
  const [a, b] = [normalAnswer(wanted, root), normalAnswer(asked, root)];
  return a === b ? [] : [`next after the cut (${happened ? 'done' : 'not done'}): ${difference(a, b)}`];
}

function judgeAgain(told: Told, again: Call, happened: boolean, root: string): string[] {
  const normal = happened ? normalRepeated : normalAnswer;
  const [a, b] = [normal(told.call, root), normal(again, root)];
  return a === b ? [] : [`the command again (${happened ? 'done' : 'not done'} before): ${difference(a, b)}`];
}

/** Runs the rest of the story after a cut: every answer and the end must be those of the undisturbed story. */
async function goOn(lane: Lane, from: number): Promise<string[]> {
  const { root } = lane.project;
  const pending = new Map<string, Action>((lane.told[from] as Told).pending);
  const told = lane.told[from] as Told;
  const answered = await lane.next(told.step);
  if (told.nextAfter.exit === 0) pending.set(told.step.run, documentOf(answered) as unknown as Action);
  for (const later of lane.told.slice(from + 1)) {
    lane.prepare(later.step, pending);
    const call = await lane.run(later.step, pending, null);
    const [a, b] = [normalAnswer(later.call, root), normalAnswer(call, root)];
    if (a !== b) return [`later, at "${later.step.title}": ${difference(a, b)}`];
    lane.note(later.step, call, pending);
  }
  const problems = judgeEnd(lane.told.at(-1) as Told, readImage(root), root).concat(await lane.replay());
  return problems.map((problem) => `at the end: ${problem}`);
}
