import type { JsonObject } from './json.js';

/**
 * A command and its input, named as in the registry. Acknowledgements have this form until the front door turns them
 * into command lines; another front door can offer them as tool calls (protocol.md §2).
 */
export interface Invocation {
  command: string;
  input: JsonObject;
}

/** An instruction in words; its commands remain invocations until the front door turns them into command lines. */
export type Instruction = readonly (string | Invocation)[];

/** Renders a command as a command line that can be run in the call's directory. */
export type CommandFormatter = (command: Invocation) => string;

/** Renders an instruction as one sentence. */
export function renderInstruction(instruction: Instruction, written: CommandFormatter): string {
  return instruction.map((part) => (typeof part === 'string' ? part : written(part))).join('');
}

/** Data given to a command; `source` decides how it is read (protocol.md §1). */
export type DataInput = {
  source: 'inline' | 'stdin' | 'file';
  /** The file's name; a `.md` file holds sections, anything else JSON. */
  name?: string;
  text: string;
};
