import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import type { Context } from '../../run/context.js';

/**
 * Computes the digest under which a person's decision about this clone is stored (protocol.md, Trust). A copy of the
 * directory, another clone, another user and another machine each have another digest, so the decision does not count
 * there.
 * @param kind the kind of thing trusted, so that trust in one kind never counts for another with the same text
 * @param what the trusted version; empty for things without versions
 */
export function computeCloneDigest({ root, store }: Pick<Context, 'root' | 'store'>, kind: Kind, what = ''): string {
  return sha256(canonicalJson([kind, root, store.clone(), what]));
}

type Kind = 'autopilot' | 'config' | 'preferences' | 'recipe';

/**
 * Computes the digest under which a person's trust in the `notify` command is stored. It covers the root, since the
 * same command line may start another program elsewhere, and the whole text of the preferences.
 * @param root absolute
 */
export function computeNotifyDigest(root: string, text: string): string {
  return sha256(canonicalJson(['notify', root, text]));
}
