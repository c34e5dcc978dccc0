import { posix } from 'node:path';
import type { ErrorDetail } from '../../../base/errors.js';
import { stripInvisible } from '../../../base/visible.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { PathChange } from '../../../work/attempt-commits.js';
import { findActiveLease, type GoalOffer } from '../core/leases.js';
import type { LoopState } from '../state-schema.js';
import type { PacketResult } from './schemas.js';

/** Finds the reasons why a result must be refused (loop-operations.md, Packets). Pure. */

/** The members of a result that have the right form. */
export type WellFormedResult = Partial<PacketResult>;

/** The state and the goals that a result is checked against. */
export interface PacketContext {
  state: LoopState;
  at: string;
  /** All goals. Whether an attempt of a goal is under way is checked separately. */
  offers: readonly GoalOffer[];
}

/**
 * Lists the faults of everything that a result refers to, such as its packet, claim and goal, except the work itself.
 */
export function listFindings(result: WellFormedResult, known: PacketContext): ErrorDetail[] {
  const { success, action_taken: action } = result;
  const isAtOdds = success !== undefined && action !== undefined && success !== (action === 'advance');
  return [
    ...tell('/action_taken', isAtOdds && `is ${action}, at odds with success: ${success}`),
    ...tell('/packet_id', ...judgePacket(result, known)),
    ...tell('/claim_id', ...judgeClaim(result, known)),
    ...tell('/goal_id', ...judgeGoal(result, known)),
  ];
}

type Doubt = string | false;

const tell = (pointer: string, ...doubts: Doubt[]): ErrorDetail[] =>
  doubts.flatMap((problem) => (problem === false ? [] : [{ pointer, problem }]));

function judgePacket({ packet_id: id, goal_id: goal, adapter }: WellFormedResult, { state }: PacketContext): Doubt[] {
  if (id === undefined) return [];
  const known = state.packets[id];
  if (known === undefined) return ['does not belong to any packet of the last 30 days'];
  return [
    known.seen && 'was already handed in',
    goal !== undefined && known.goal !== goal && `was made for the goal ${known.goal}`,
    adapter !== undefined && known.adapter !== adapter && `was made for ${known.adapter}`,
  ];
}

function judgeClaim({ claim_id: id, goal_id: goal }: WellFormedResult, { state, at }: PacketContext): Doubt[] {
  const lease = id === undefined ? undefined : state.leases[id];
  if (id === undefined) return [];
  if (lease === undefined || findActiveLease(state.leases, lease.goal, at)?.id !== id) return ['is not active'];
  return [goal !== undefined && lease.goal !== goal && `is for the goal ${lease.goal}`];
}

function judgeGoal(
  { goal_id: goal, claim_id: claim }: WellFormedResult,
  { state, at, offers }: PacketContext,
): Doubt[] {
  if (goal === undefined) return [];
  const offer = offers.find(({ id }) => id === goal);
  if (offer === undefined) return ['there is no such goal'];
  const holder = findActiveLease(state.leases, goal, at);
  return [
    offer.why !== null && `the goal is not worked on: ${offer.why}`,
    Object.values(state.attempts).some((one) => one.goal === goal) && 'an attempt of it is under way',
    holder !== null && holder.id !== claim && `${holder.worker} holds it until ${holder.expiresAt}`,
  ];
}

/** Directories that handed-in work must never touch, at any depth. */
const CLOSED = ['.git', '.ai', '.dev'];

/**
 * Returns why handed-in work must not touch a path; null if it may. Also catches names that some file systems treat as
 * the same, such as `.GIT` for `.git`.
 */
export function findHandedInPathFault(path: string): string | null {
  const names = path.split(/[\\/]/).map((name) =>
    stripInvisible(name)
      .toLowerCase()
      .replace(/[. ]+$/, ''),
  );
  if (names.includes('')) return 'leaves the tree';
  const closed = names.find((name) => CLOSED.includes(name));
  return closed === undefined ? null : `touches ${closed}`;
}

/** Lists the faults of changed paths, and of the targets of new links. */
export function listChangeFaults(changes: readonly PathChange[]): string[] {
  return changes.flatMap(({ path, link, isSubmodule }) => {
    const shown = toBoundedLine(path, 200);
    const fault = findHandedInPathFault(path);
    const led = link === null ? null : findLinkFault(path, link);
    return [
      ...(fault === null ? [] : [`${shown} ${fault}`]),
      ...(led === null ? [] : [`${shown} is a link that ${led}`]),
      ...(isSubmodule ? [`${shown} is a submodule`] : []),
    ];
  });
}

/**
 * Returns why the target of a link is refused; null if it is not. A target in which `..` follows a name is refused,
 * because that name may itself be a link, and `..` then leads to another place.
 */
function findLinkFault(path: string, link: string): string | null {
  if (/[^./][^/]*\/+\.\.(\/|$)/.test(link)) return 'goes up again after a name';
  return findHandedInPathFault(link.startsWith('/') ? link : posix.join(posix.dirname(path), link));
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** Header lines of a rename or copy; no line of a hunk begins like these. */
const MOVED = /^(?:rename|copy) (?:from|to) (.*)$/;
const FILE = /^(?:---|\+\+\+) (.*)$/;

/**
 * Lists the faults of paths in a diff's headers. They include the source of a copy, which nothing else in the diff
 * names.
 */
export function listHeaderFaults(patch: string): string[] {
  let [old, fresh] = [0, 0];
  const names: string[] = [];
  for (const line of patch.split('\n')) {
    const isInside = (old > 0 || fresh > 0) && /^[ +\\-]|^\r?$/.test(line);
    if (isInside) {
      if (!/^[+\\]/.test(line)) old -= 1;
      if (!/^[-\\]/.test(line)) fresh -= 1;
      continue;
    }
    const [hunk, before = '1', after = '1'] = HUNK.exec(line) ?? [];
    [old, fresh] = hunk === undefined ? [0, 0] : [Number(before), Number(after)];
    const name = (MOVED.exec(line) ?? FILE.exec(line))?.[1];
    if (name !== undefined) names.push(unquote(name.replace(/[\t\r].*$/s, '')).replace(/^[ab]\//, ''));
  }
  const faults = [...new Set(names)]
    .filter((name) => name !== '/dev/null')
    .flatMap((name) => {
      const fault = findHandedInPathFault(name);
      return fault === null ? [] : [`${toBoundedLine(name, 200)} ${fault}`];
    });
  return faults;
}

/** Decodes a name that git quoted, with bytes as octal numbers. */
function unquote(name: string): string {
  if (!name.startsWith('"')) return name;
  const bytes = Buffer.from(name.slice(1).replace(/"$/, '')).toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})|\\(.)/g, (_, octal: string | undefined, one: string) =>
    octal === undefined ? one : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}
