import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';

/**
 * The digest under which a person's trust in the command of `notify` is kept: for this root, since the same words may start
 * another file elsewhere, and for the whole text of the preferences.
 * @param root absolute
 */
export function computeNotifyDigest(root: string, text: string): string {
  return sha256(canonicalJson(['notify', root, text]));
}
