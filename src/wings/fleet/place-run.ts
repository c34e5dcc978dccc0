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

/** Sets up on this machine a run that was begun or continued on another one (fleet.md, An attempt). */

/** How a run is placed on this machine. */
export interface RunPlacement {
  /** Absolute path of the root in the attempt's tree. */
  workTree: string;
  /** Digests of recipes that this machine trusts besides the shipped ones. */
  trusted: ReadonlySet<string>;
  /**
   * What happens to a local run that has advanced since the freight was packed: a worker discards it, because the claim
   * under which it advanced is over; a person is refused, because it is the person's work.
   */
  ahead: 'refuse' | 'discard';
}

/**
 * Sets up a run from its freight, which is what another machine packed of it: inspects the freight, requires trust in
 * the recipe, replaces the run's directory as a whole, and translates its paths to those of this machine. From then on
 * the run may start its commands here. A repeated call changes nothing.
 * @throws DevCliError `FLEET_UNTRUSTED`, `RUN_EXISTS` if another run has that name or the local run is ahead, or an
 * error of `inspectFreight`, all before the run is changed; `LOCKED`, `IO`
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

/** Whether the local run already matches the freight. @throws DevCliError `RUN_EXISTS` if it must not be replaced */
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
    throw existsError(run, 'its directory already contains other files');
  }
  if (snapshot.runId !== found.snapshot.runId) throw existsError(run, 'another run has this name here');
  // Setting up a run adds a `recovered` entry; such entries at the end of the journal are not work that was done here.
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
  throw existsError(run, 'it has advanced here since');
}

/**
 * Builds the new directory of a run beside the old one, then renames both, so that no reader sees a half-written
 * directory.
 */
function replaceDirectory({ root }: Context, run: string, { journal, objects }: Freight, { text }: Inspected): void {
  const runs = `${root}/${RUNS}`;
  const { made, former } = nameAside(root, run);
  const { names } = RUN_LAYOUT;
  withIoErrors(`${runs}/${run}`, root, () => {
    ensureDirectory(`${made}/${names.objects}`, root);
    for (const [digest, content] of objects) writeDurably(`${made}/${names.objects}/${digest}`, content, root);
    // With journal and snapshot complete, the store has nothing to recover.
    writeDurably(`${made}/${names.snapshot}`, text, root);
    writeDurably(`${made}/${names.journal}`, journal, root);
    renameSync(`${runs}/${run}`, former);
    renameSync(made, `${runs}/${run}`);
    syncDirectory(runs);
  });
  removeLeft(root, run);
}

/** The temporary directories beside a run's directory; no run can have such a name, because it begins with a dot. */
const nameAside = (root: string, run: string): { made: string; former: string } => ({
  made: `${root}/${RUNS}/.${run}.new`,
  former: `${root}/${RUNS}/.${run}.former`,
});

/** Removes the temporary directories, including those left by an interrupted call. */
function removeLeft(root: string, run: string): void {
  for (const left of Object.values(nameAside(root, run)))
    withIoErrors(left, root, () => rmSync(left, { recursive: true, force: true }));
}

/** The notice in the run's history. */
const NOTICE =
  'the run came from another machine; its documents were restored, and its paths changed to those of this machine';

/**
 * Restores the run's documents and translates its paths to this machine, in one commit; commits nothing if nothing
 * changes.
 */
function relocate(context: Context, run: string, formerRoot: string, workTree: string): Promise<void> {
  return context.store.transact(run, (head) => {
    const { snapshot } = head;
    if (snapshot === null) throw new DevCliError('INTERNAL', `The run ${run} is gone.`);
    // Treated as after a reboot: the run's documents did not come along and are restored from its journal (storage.md,
    // After another boot).
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

/** Lists the files that dev-cli wrote for the pending action, without the files that the caller is to write. */
function listOwnFiles({ pendingAction }: RunState): string[] {
  const named = JSON.stringify(pendingAction).match(/\bactions\/[\w.-]+\/[\w./-]*\w/g) ?? [];
  return [...new Set(named)].filter((path) => pendingAction !== null && !Object.hasOwn(pendingAction.before, path));
}

/**
 * Returns a function that replaces the given absolute paths, and paths below them, trying the longest first. Relative
 * paths are left unchanged.
 */
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
    fix: `Ask the user what to do with ${getRunDirectory(run)}; once it is moved away, repeat the same call.`,
  });
}
