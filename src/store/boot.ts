import type { Boot } from './medium.js';
import type { Entry } from './store.js';

/** How long after a boot, in milliseconds, an entry without a boot id still counts as older: the clock may have been set meanwhile. */
const MARGIN = 60_000;

/**
 * Whether an entry was written before this machine's last boot: of what was written with it, only the journal is certain
 * (storage.md, Recovery). Where either side lacks an id, the entry's instant decides.
 * @param now milliseconds since the epoch
 */
export function isOfEarlierBoot({ at, boot }: Pick<Entry, 'at' | 'boot'>, present: Boot, now: number): boolean {
  const id = present.id();
  if (boot !== undefined && id !== null) return boot !== id;
  return !(Date.parse(at) > now - present.uptime() * 1000 + MARGIN);
}
