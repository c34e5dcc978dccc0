import { DevCliError } from '../base/errors.js';
import { type FoundRoot, findRoot } from '../project/root.js';
import type { Environment } from './environment.js';

type Surroundings = Pick<Environment, 'cwd' | 'env' | 'root'>;

/**
 * Where the run of this call is at home.
 * @throws DevCliError `USAGE` for a root that is none; `IO`
 */
export function resolveRoot(surroundings: Surroundings): FoundRoot {
  return findRoot(buildRootQuery(surroundings));
}

/** What says where the root is. */
export function buildRootQuery({ cwd, env, root }: Surroundings): Parameters<typeof findRoot>[0] {
  return { cwd, env, explicit: root };
}

/** The same for the door, which has to write an answer also where there is none: that the use case will say. */
export function findKnownRoot(surroundings: Surroundings): string | null {
  try {
    return resolveRoot(surroundings).root;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}
