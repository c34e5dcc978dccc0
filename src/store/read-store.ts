import { checkedName } from '../base/name.js';
import type { Finder } from './find.js';
import type { ReadMedium } from './medium.js';
import { overlaid } from './redo.js';
import type { Numbered, ReadStore } from './store.js';

/**
 * What can be asked of runs without changing any (storage.md): the part of a store that questions are answered with.
 * @throws per method as documented at `ReadStore`; `NAME_INVALID` for a stream that cannot be one
 */
export function createReadStore<S extends Numbered>(medium: ReadMedium, finder: Finder<S>): ReadStore<S> {
  return {
    async read(stream) {
      checkedName(stream);
      const state = finder.undisturbed(stream);
      return finder.handedOut(state, overlaid(stream, medium.files(stream), state.redo.placements));
    },
    async streams() {
      return medium.streams();
    },
    async active() {
      return medium.active();
    },
    async session(id) {
      return medium.session(id);
    },
  };
}
