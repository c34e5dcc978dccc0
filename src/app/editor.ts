import type { Editor } from '../protocol/plan/edit.js';
import type { Context } from '../run/context.js';
import type { Environment } from './environment.js';

/** The editor of the person who calls. */
export function createEditor(
  { signal }: Pick<Context, 'signal'>,
  { env, write }: Pick<Environment, 'env' | 'write'>,
): Editor {
  return {
    async open(path, note) {
      if (note !== '') write?.(`${note}\n`);
      const { runEditor } = await import('../work/editor.js');
      await runEditor(path, { env, signal });
    },
  };
}
