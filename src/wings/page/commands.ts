import { defined } from '../../base/defined.js';
import type { HandlersOf } from '../../protocol/ports.js';
import type { PAGE_SPECS } from './specs.js';

/** What carries out the commands that show a project to people. */
export const HANDLERS: HandlersOf<typeof PAGE_SPECS> = {
  view: async (context, { html, without, name, ...input }, site) => {
    const named = defined({ name });
    if (html === undefined) return (await import('./view.js')).view(context, { ...named, ...input }, site);
    return (await import('./file.js')).writeFile(context, { ...named, html, ...defined({ without }) }, site);
  },
  ci: async (...given) => (await import('./ci/ci.js')).checkProject(...given),
};
