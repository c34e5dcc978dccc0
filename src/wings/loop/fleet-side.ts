import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';
import { openCarriedSite, readCarriedGoal } from './carried-site.js';
import { advanceAttempt, claimNextAttempt, listCarried, releaseAttempt } from './carry.js';
import type { FleetSetting } from './config.js';
import { refuseClaim } from './core/leases.js';
import { readLoopFiles } from './files.js';
import { bringParked, claimParked, giveParked } from './parked.js';
import type { AttemptSite } from './site.js';
import { findTrees, requireTool } from './start.js';
import { EMPTY_LOOP, STEPS_VERSION } from './state.js';
import { removeStray } from './stray.js';
import { createLoopCodec } from './streams.js';
import { parseTemplate } from './template.js';

/**
 * Returns the fleet that a root's configuration names. @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `USAGE` if
 * it names none
 */
function requireFleet(context: Context): FleetSetting {
  const { fleet } = readLoopFiles(context).config;
  if (fleet !== null) return fleet;
  throw new DevCliError('USAGE', 'This project has no fleet.', {
    fix: 'Add `fleet` to .ai/config.yaml: docs/fleet.md.',
  });
}

/**
 * Like `requireTool`, but skips programs of the project itself: they lie in the attempt’s tree, which may not exist
 * yet.
 */
function requireCarriedTool(context: Context, line: string): void {
  const template = parseTemplate(line);
  if (!('words' in template && /^[^/]+\//.test(template.words[0] ?? ''))) requireTool(context, line);
}

/**
 * What the fleet uses of the loop (app/wings.ts): the form of its state, and the functions with which workers claim
 * attempts and carry out steps.
 */
export const FLEET_SIDE = {
  version: STEPS_VERSION,
  codec: createLoopCodec('The loop’s state'),
  empty: EMPTY_LOOP,
  refuseOver: (claim: string) => refuseClaim('claim_not_active', claim, 'it has expired or was released'),
  requireFleet,
  readGoal: readCarriedGoal,
  listCarried,
  requireCarriedTool,
  claimNext: claimNextAttempt,
  openSite: openCarriedSite,
  carryOn: advanceAttempt,
  letGo: releaseAttempt,
  claimParked,
  bringParked,
  giveParked,
  removeStray: ({
    env,
    ...site
  }: Pick<AttemptSite, 'streams' | 'context' | 'top' | 'git'> & { env: NodeJS.ProcessEnv }) =>
    removeStray({ ...site, trees: findTrees(site.context, env) }),
};
