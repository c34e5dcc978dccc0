import { findHarnessMark } from '../base/harness-mark.js';
import type { CommandForm } from '../registry/spec.js';
import type { OutputFormat } from './print.js';

/**
 * JSON for a document or a stream, text for what is made for people. At a terminal of a person, whatever a person calls is
 * text, and so is every failure; where a harness's mark stands, a terminal is none (protocol.md §1).
 */
export function chooseFormat(
  form: Pick<CommandForm, 'output' | 'actor'> | undefined,
  globals: { root?: string; json?: boolean; text?: boolean },
  around: { env: NodeJS.ProcessEnv; stdoutIsTerminal: boolean },
): OutputFormat {
  const terminal = around.stdoutIsTerminal && findHarnessMark(around.env) === null;
  const forPerson = form?.actor === 'person' && terminal;
  const document = (form === undefined || form.output !== 'text') && !forPerson;
  const json = document ? globals.text !== true : globals.json === true;
  return {
    json,
    terminal,
    failsInText: !json || (terminal && globals.json !== true),
    ...(globals.root !== undefined && { root: globals.root }),
  };
}
