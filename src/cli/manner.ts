import { harnessMark } from '../base/harness-mark.js';
import type { CommandSpec } from '../registry/spec.js';
import type { Manner } from './print.js';

/**
 * JSON for a document or a stream, text for what is made for people. At a terminal of a person, whatever a person calls is
 * text, and so is every failure; where a harness's mark stands, a terminal is none (protocol.md §1).
 */
export function mannerOf(
  spec: Pick<CommandSpec, 'output' | 'actor'> | undefined,
  globals: { root?: string; json?: boolean; text?: boolean },
  around: { env: NodeJS.ProcessEnv; stdoutIsTerminal: boolean },
): Manner {
  const terminal = around.stdoutIsTerminal && harnessMark(around.env) === null;
  const forPerson = spec?.actor === 'person' && terminal;
  const document = (spec === undefined || spec.output !== 'text') && !forPerson;
  const json = document ? globals.text !== true : globals.json === true;
  return {
    json,
    terminal,
    failsInText: !json || (terminal && globals.json !== true),
    ...(globals.root !== undefined && { root: globals.root }),
  };
}
