import { openCarriedSite, readCarriedGoal } from './carried-site.js';
import { abandon, carryOn, claimNext, listCarried } from './carry.js';
import { refuseClaim } from './core/leases.js';
import type { Site } from './site.js';
import { findTrees } from './start.js';
import { EMPTY_LOOP, STEPS_VERSION } from './state.js';
import { removeStray } from './stray.js';
import { LOOP_CODEC } from './streams.js';

/** What a fleet is handed of the loop (app/wings.ts): its rows, and the steps that its workers carry out. */
export const FLEET_SIDE = {
  version: STEPS_VERSION,
  codec: LOOP_CODEC,
  empty: EMPTY_LOOP,
  refuseOver: (claim: string) => refuseClaim('claim_not_active', claim, 'its time is over'),
  readGoal: readCarriedGoal,
  listCarried,
  claimNext,
  openSite: openCarriedSite,
  carryOn,
  abandon,
  removeStray: ({ env, ...site }: Pick<Site, 'streams' | 'context' | 'top' | 'git'> & { env: NodeJS.ProcessEnv }) =>
    removeStray({ ...site, trees: findTrees(site.context, env) }),
};
