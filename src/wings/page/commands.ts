import { omitUndefined } from '../../base/defined.js';
import type { HandlersOf } from '../../protocol/ports.js';
import type { DrawRun } from './documents.js';
import type { PAGE_SPECS } from './specs.js';

/**
 * Creates the handlers of the commands that show a project to people.
 * @param drawRun supplied by the wing that draws recipes; undefined in a program without that wing
 */
export const createPageHandlers = (drawRun: DrawRun | undefined): HandlersOf<typeof PAGE_SPECS> => ({
  view: async (context, { html, without, name, ...input }, site) => {
    const scene = { ...context, drawRun };
    const named = omitUndefined({ name });
    if (html === undefined) return (await import('./view.js')).serveView(scene, { ...named, ...input }, site);
    return (await import('./file.js')).writeFile(scene, { ...named, html, ...omitUndefined({ without }) }, site);
  },
  ci: async (...given) => (await import('./ci/ci.js')).checkProject(...given),
});
