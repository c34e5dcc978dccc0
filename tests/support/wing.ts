import type { HookHandler, Ports } from '../../src/protocol/ports.js';
import type { RunView } from '../../src/views/run-view.js';

/**
 * An example wing that uses each port: it stores notes below `.dev/notes/`, one line of text each. Tests pass it into a
 * context, or put it below wings/ in a copy of the source tree.
 */

function notesOf({ reader, place }: Pick<RunView, 'reader' | 'place'>): string[] {
  const directory = `${place.root}/.dev/notes`;
  return reader.list(directory).flatMap((name) => reader.read(`${directory}/${name}`)?.trim() ?? []);
}

function lines(run: RunView): string[] | null {
  const notes = notesOf(run);
  return notes.length === 0 ? null : [`Notes: ${notes.join('; ')}`];
}

export const SECTIONS: Ports['sections'] = [
  { id: 'notes', view: 'manifest', budget: 60, render: lines },
  { id: 'notes', view: 'status', budget: 60, render: lines },
];

export const CHECKS: Ports['checks'] = [
  async () => [
    {
      kind: 'note',
      covers: (path) => path.startsWith('.dev/notes/'),
      judge: (text) => ({
        problems: text.trim().includes('\n') ? [{ target: 'note', problem: 'has more than one line' }] : [],
        warnings: [],
      }),
    },
  ],
];

export const HANDLERS: readonly HookHandler[] = [
  {
    id: 'notes',
    on: 'session-start',
    handle: async ({ reader, root }, { cause }) => {
      const notes = notesOf({ reader, place: { root, workTree: root } });
      return cause === 'compact' && notes.length > 0 ? { tell: notes.join('; ') } : null;
    },
  },
  {
    id: 'notes',
    on: 'pre-tool-use',
    handle: async (_context, { tool }) => (tool === 'Burn' ? { refuse: 'notes are not burned' } : null),
  },
];
