import type { JsonObject } from './json.js';

/**
 * A command and its input, by the registry's names. Acknowledgements are kept in this form and written out
 * by the front door, so that a later front door can offer them as tool calls (protocol.md §2).
 */
export interface Invocation {
  command: string;
  input: JsonObject;
}

/** One instruction in words. The commands in it stay commands until the front door writes them out, like any other. */
export type Instruction = readonly (string | Invocation)[];

/** Writes a command out as the line that means it, for where the call was made. */
export type CommandFormatter = (command: Invocation) => string;

/** An instruction as a sentence. */
export function renderInstruction(instruction: Instruction, written: CommandFormatter): string {
  return instruction.map((part) => (typeof part === 'string' ? part : written(part))).join('');
}
