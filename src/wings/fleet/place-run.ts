import { renameSync, rmSync } from 'node:fs';
import { DevCliError } from '../../base/errors.js';
import { isJsonObject, isSameJson, type Json } from '../../base/json.js';
import { RUN_LAYOUT, RUNS } from '../../project/layout.js';
import { requireInside } from '../../project/own-places.js';
import { grantTrust } from '../../project/trust.js';
import { computeTrustDigest } from '../../protocol/trust/run-place.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { findLost } from '../../run/documents/lost.js';
import { overlayLostDocuments, restoreDocuments } from '../../run/documents/recovery.js';
import { getRunDirectory } from '../../run/paths.js';
import type { RunDraft, RunState } from '../../run/state.js';
import { closeTransaction, openTransaction, recordEntry } from '../../run/transaction.js';
import { ensureDirectory, syncDirectory, writeDurably } from '../../store/durable.js';
import { withIoErrors } from '../../store/io.js';
import { lock } from '../../store/lock.js';
import { identifyProcess } from '../../store/process.js';
import { BEGINNING, type StreamState } from '../../store/store.js';
import { type Freight, type Inspected, inspectFreight, readJournal } from './freight.js';
import { requireFreightTrust } from './freight-trust.js';

/** Places a run that was begun, or has gone on, on another machine (fleet.md, An attempt). */

/** How a run is taken up here. */
export interface RunPlacement {
  /** Absolute: the root's place in the tree of the attempt. */
  workTree: string;
  /** Digests of recipes that this machine trusts beside those that ship. */
  trusted: ReadonlySet<string>;
  /**
   * What becomes of a run that has gone on here since the freight was packed: a worker discards it, since the claim that it was
   * done under is over; for a person it is work.
   */
  ahead: 'refuse' | 'discard';
}

/**
 * Takes a run up: its freight is looked through, its recipe has to be trusted here, its directory is put in place whole, and its own
 * paths become those of this machine. From then on it may start its commands here. Repeated, it changes nothing more.
 * @throws DevCliError `FLEET_UNTRUSTED`; `RUN_EXISTS` for another run of that name, and for one that is ahead; `LOCKED`, `IO`; as
 * `inspectFreight`. Then nothing was written
 */
export async function placeRun(context: Context, run: string, freight: Freight, placing: RunPlacement): Promise<void> {
  const found = await inspectFreight(context, run, freight);
  requireFreightTrust(context, { text: found.recipe, claimed: freight.recipeHash }, placing.trusted);
  const directory = getRunDirectory(run);
  requireInside(context.root, directory);
  const path = `${context.root}/${directory}`;
  const { clock, ids, root } = context;
  const owner = { identity: identifyProcess(), clock, ids, purpose: 'a run from elsewhere' };
  const held = await lock(`${path}/${RUN_LAYOUT.names.lock}`, owner, { waitMs: 10_000, root }, () =>
    ensureDirectory(path, root),
  );
  try {
    removeLeft(root, run);
    if (!(await isPlaced(context, run, { freight, found }, placing))) replaceDirectory(context, run, freight, found);
  } finally {
    held.release();
  }
  await relocate(context, run, freight.root, placing.workTree);
  grantTrust(context.trustDirectory, computeTrustDigest(context, found.snapshot));
}

/** Whether the run is as the freight has it already. @throws DevCliError `RUN_EXISTS` where it must not become so */
async function isPlaced(
  context: Context,
  run: string,
  { freight: { journal }, found }: { freight: Freight; found: Inspected },
  { ahead }: RunPlacement,
): Promise<boolean> {
  const { snapshot } = await context.store.read(run);
  if (snapshot === null) {
    const { lock: own } = RUN_LAYOUT.names;
    const others = context.reader.list(`${context.root}/${getRunDirectory(run)}`).filter((one) => !one.startsWith(own));
    if (others.length === 0) return false;
    throw existsError(run, 'files of somebody else lie in its place');
  }
  if (snapshot.runId !== found.snapshot.runId) throw existsError(run, 'another run has its name here');
  // What was put right when it was taken up here is no work.
  let worked = 0;
  const whole = await context.store.scan(run, BEGINNING, ({ type, seq }) => {
    if (type !== 'recovered') worked = seq;
    return true;
  });
  const until = await context.store.scan(run, BEGINNING, ({ seq }) => seq < worked);
  const own = readJournal(context, run)?.subarray(0, whole.behind.offset) ?? null;
  const core = own?.subarray(0, until.behind.offset) ?? null;
  if (core !== null && core.length <= journal.length && own?.subarray(0, journal.length).equals(journal)) return true;
  if (ahead === 'discard' || (core !== null && journal.subarray(0, core.length).equals(core))) return false;
  throw existsError(run, 'it has gone on here since');
}

/** Puts the run's directory in place in one step, in that of another, which goes. */
function replaceDirectory({ root }: Context, run: string, { journal, objects }: Freight, { text }: Inspected): void {
  const runs = `${root}/${RUNS}`;
  const { made, former } = nameAside(root, run);
  const { names } = RUN_LAYOUT;
  withIoErrors(`${runs}/${run}`, root, () => {
    ensureDirectory(`${made}/${names.objects}`, root);
    for (const [digest, content] of objects) writeDurably(`${made}/${names.objects}/${digest}`, content, root);
    // The store finds it finished, so that it writes nothing by itself.
    writeDurably(`${made}/${names.snapshot}`, text, root);
    writeDurably(`${made}/${names.journal}`, journal, root);
    renameSync(`${runs}/${run}`, former);
    renameSync(made, `${runs}/${run}`);
    syncDirectory(runs);
  });
  removeLeft(root, run);
}

/** Beside a run's directory; no run has such a name. */
const nameAside = (root: string, run: string): { made: string; former: string } => ({
  made: `${root}/${RUNS}/.${run}.new`,
  former: `${root}/${RUNS}/.${run}.former`,
});

/** Removes what is of no use any more, also where a call that was cut off has left it. */
function removeLeft(root: string, run: string): void {
  for (const left of Object.values(nameAside(root, run)))
    withIoErrors(left, root, () => rmSync(left, { recursive: true, force: true }));
}

/** What history says of it. */
const NOTICE = 'the run has come from another machine; its documents are put back, and its paths are those of this one';

/** Puts the run's documents in place, and has its own paths lead to where it is now, in one commit; none where all is so already. */
function relocate(context: Context, run: string, formerRoot: string, workTree: string): Promise<void> {
  return context.store.transact(run, (head) => {
    const { snapshot } = head;
    if (snapshot === null) throw new DevCliError('INTERNAL', `The run ${run} is gone.`);
    // As after another boot: of what it has left, only the journal is here (storage.md, After another boot).
    const arrived = { ...head, rebooted: true };
    const lost = findLost(arrived, snapshot) ?? { contents: new Map(), renderings: new Map(), missing: [], edited: [] };
    const translate = createTranslation([
      [snapshot.workTree, workTree],
      [formerRoot, context.root],
    ]);
    const state = mapTexts(copyState(snapshot) as unknown as Json, translate) as unknown as RunDraft;
    const files = overlayLostDocuments(head.files, lost);
    const tx = openTransaction(context, head, state, readCapturedRecipe({ ...head, files } as StreamState<RunState>));
    restoreDocuments(tx, lost, arrived);
    for (const path of listOwnFiles(snapshot)) {
      const before = tx.files.text(path);
      if (before !== null && translate(before) !== before) tx.files.write(path, translate(before));
    }
    if (!tx.files.differs() && isSameJson(state, snapshot)) return { answer: undefined };
    recordEntry(tx, 'recovered', { notices: [NOTICE] });
    tx.state.recovered.push(NOTICE);
    return closeTransaction(tx, head, undefined);
  });
}

/** Files that dev-cli has written for whoever carries the pending action out; what is promised is not among them. */
function listOwnFiles({ pendingAction }: RunState): string[] {
  const named = JSON.stringify(pendingAction).match(/\bactions\/[\w.-]+\/[\w./-]*\w/g) ?? [];
  return [...new Set(named)].filter((path) => pendingAction !== null && !Object.hasOwn(pendingAction.before, path));
}

/** Replaces whole paths, and what begins with them, the longest first. What is not absolute stays. */
function createTranslation(pairs: readonly [from: string, to: string][]): (text: string) => string {
  const known = new Map(pairs.filter(([from, to]) => /^\/[^\0]/.test(from) && from !== to));
  if (known.size === 0) return (text) => text;
  const ordered = [...known.keys()].sort((a, b) => b.length - a.length);
  const literal = ordered.map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\w.~-])(?:${literal.join('|')})(?![\\w-]|\\.\\w)`, 'g');
  return (text) => text.replace(pattern, (path) => known.get(path) ?? path);
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)]));
}

function existsError(run: string, problem: string): DevCliError {
  return new DevCliError('RUN_EXISTS', `The run "${run}" cannot be placed here: ${problem}. Nothing was written.`, {
    run,
    details: [{ target: run, problem }],
    fix: `Ask the user what is to become of ${getRunDirectory(run)}; once that is moved away, repeat the same call.`,
  });
}
