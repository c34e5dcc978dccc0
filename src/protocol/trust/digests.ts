import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import type { Context } from '../../run/context.js';

/**
 * Computes the digest under which a person's decision about this clone is stored (protocol.md, Trust). A copy, another
 * clone, another user and another machine have different digests.
 * @param kind the kind of thing trusted, so that one text cannot pass for another
 * @param what the version that is trusted; empty if there are no versions
 */
export function computeCloneDigest({ root, store }: Pick<Context, 'root' | 'store'>, kind: Kind, what = ''): string {
  return sha256(canonicalJson([kind, root, store.clone(), what]));
}

type Kind = 'autopilot' | 'config' | 'preferences' | 'recipe';

/**
 * Computes the digest under which a person's trust in the `notify` command is stored: for this root, since the same
 * words may start another program elsewhere, and for the whole text of the preferences.
 * @param root absolute
 */
export function computeNotifyDigest(root: string, text: string): string {
  return sha256(canonicalJson(['notify', root, text]));
}
