import { DevCliError } from '../base/errors.js';
import { findRoot, type Root } from '../project/root.js';
import type { Environment } from './environment.js';

type Surroundings = Pick<Environment, 'cwd' | 'env' | 'root'>;

/**
 * Where the run of this call is at home.
 * @throws DevCliError `USAGE` for a root that is none; `IO`
 */
export function rootOf(surroundings: Surroundings): Root {
  return findRoot(rootQuery(surroundings));
}

/** What says where the root is. */
export function rootQuery({ cwd, env, root }: Surroundings): Parameters<typeof findRoot>[0] {
  return { cwd, env, explicit: root };
}

/** The same for the door, which has to write an answer also where there is none: that the use case will say. */
export function knownRoot(surroundings: Surroundings): string | null {
  try {
    return rootOf(surroundings).root;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}
