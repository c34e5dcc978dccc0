import { DevCliError } from '../base/errors.js';
import { canonicalJson } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import type { RunState } from '../run/state.js';
import type { Head } from '../store/store.js';
import { isTrusted } from '../store/trust.js';
import type { Context } from './context.js';

/** What tells one run in one place from every other that a person might trust. */
type Whereabouts = Pick<RunState, 'name' | 'runId' | 'recipeHash' | 'place'>;

/** Whether a run was begun in this very directory, by this user on this machine (protocol.md §4). */
export function isAtHome({ store }: Context, { name, place }: Whereabouts): boolean {
  return place !== undefined && place === store.home(name);
}

/** By which a person's trust in a run from elsewhere is known again: it holds for this root, run and recipe. */
export function trustDigest({ root }: Context, { runId, recipeHash }: Whereabouts): string {
  return sha256(canonicalJson(['run', root, runId, recipeHash]));
}

/** Whether what a run wants to start may be started here. */
export function mayStart(context: Context, run: Whereabouts): boolean {
  return isAtHome(context, run) || isTrusted(context.trustDirectory, trustDigest(context, run));
}

/**
 * To be called before anything is started for a run: a command, a commit with its hooks, what tells a forge. State and
 * commands of a run that came from elsewhere, with a clone or an archive, are somebody else's words.
 * @throws DevCliError `RUN_UNTRUSTED`
 */
export function requirePlace(context: Context, run: Whereabouts): void {
  if (mayStart(context, run)) return;
  const { name } = run;
  throw new DevCliError(
    'RUN_UNTRUSTED',
    `The run "${name}" was not begun in this directory by this user: none of its commands is started.`,
    {
      run: name,
      details: [{ target: name, problem: 'copied, cloned, or made by a version that did not record where' }],
      fix: [
        'Show the user `answer`, which only they can run, in a terminal. When they have, go on with: ',
        { command: 'next', input: { name } },
      ],
      answer: { command: 'trust', input: { recipe: name } },
    },
  );
}

/** The run of this name before. What was approved in one from elsewhere was approved by somebody else. */
export function earlierRun(context: Context, { snapshot }: Head<RunState>): RunState | null {
  if (snapshot === null || mayStart(context, snapshot)) return snapshot;
  const gates = Object.entries(snapshot.gates).map(([id, gate]) => [id, { ...gate, stale: true }]);
  const { engine, planGate, ...rest } = snapshot;
  const asked = engine?.planApproved === undefined ? {} : { planApproved: null };
  return {
    ...rest,
    gates: Object.fromEntries(gates),
    engine: engine === null ? null : { ...engine, commandsApproved: null, ...asked },
    ...(planGate === undefined ? {} : { planGate: { ...planGate, approved: false } }),
  };
}
