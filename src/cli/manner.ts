import type { CommandSpec } from '../registry/spec.js';
import type { Manner } from './print.js';

/** JSON for a document or a stream, text for what is made for people; and for a person at a terminal, whatever it is. */
export function mannerOf(
  spec: Pick<CommandSpec, 'output' | 'actor'> | undefined,
  globals: { root?: string; json?: boolean; text?: boolean },
  around: { env: NodeJS.ProcessEnv; stdoutIsTerminal: boolean },
): Manner {
  const forPerson = spec?.actor === 'person' && around.stdoutIsTerminal;
  const document = (spec === undefined || spec.output !== 'text') && !forPerson;
  return {
    json: document ? globals.text !== true : globals.json === true,
    terminal: around.stdoutIsTerminal,
    colours: around.stdoutIsTerminal && !around.env['NO_COLOR'],
    ...(globals.root !== undefined && { root: globals.root }),
  };
}
