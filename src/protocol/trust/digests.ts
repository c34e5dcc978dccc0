import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import type { Context } from '../../run/context.js';

/**
 * The digest under which a person's word about this very clone is kept (protocol.md, Trust): a copy, another clone, another user
 * and another machine have another one.
 * @param kind what is trusted, so that no text counts as trusted in place of another
 * @param what the version that is trusted; empty where there is none
 */
export function computeCloneDigest({ root, store }: Pick<Context, 'root' | 'store'>, kind: Kind, what = ''): string {
  return sha256(canonicalJson([kind, root, store.clone(), what]));
}

type Kind = 'autopilot' | 'config' | 'preferences' | 'recipe';

/**
 * The digest under which a person's trust in the command of `notify` is kept: for this root, since the same words may start
 * another file elsewhere, and for the whole text of the preferences.
 * @param root absolute
 */
export function computeNotifyDigest(root: string, text: string): string {
  return sha256(canonicalJson(['notify', root, text]));
}
