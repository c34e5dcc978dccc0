import type { HandlersOf } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import type { PictureContext } from './gather.js';
import { openMemory } from './memory.js';
import { forgetMemoryEntry, recordDecision, recordNote, recordRelevantPath, setNext } from './setters.js';
import type { MEMORY_SPECS } from './specs.js';

/** Handlers of the memory commands. */
export const HANDLERS: HandlersOf<typeof MEMORY_SPECS> = {
  'memory decide': (context, input, { cwd }) => recordDecision(openMemory(context, cwd), input),
  'memory next': (context, input, { cwd }) => setNext(openMemory(context, cwd), input),
  'memory note': (context, input, { cwd }) => recordNote(openMemory(context, cwd), input),
  'memory relevant': (context, input, { cwd }) => recordRelevantPath(openMemory(context, cwd), input, cwd),
  'memory verify': async (context, input, call) =>
    (await import('./verify.js')).recordVerification(openScene(context, call), input, call.cwd),
  'memory checkpoint': async (context, { message }, call) =>
    (await import('./checkpoint.js')).createCheckpoint(openScene(context, call), message),
  'memory forget': (context, { id }, { cwd }) => forgetMemoryEntry(openMemory(context, cwd), id),
  'memory show': async (context, { all }, call) =>
    (await import('./show.js')).showMemory(openScene(context, call), all === true),
  'handoff write': async (context, input, call) =>
    (await import('./handoff-command.js')).writeHandoff(openScene(context, call), input),
  transfer: async (context, input, call) =>
    (await import('./handoff-command.js')).transferHandoff(openScene(context, call), input, call.cwd),
  context: async (context, { format }, call) =>
    (await import('./context-command.js')).showContext(openScene(context, call), format),
};

function openScene(context: Context, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): PictureContext {
  return { context, memory: openMemory(context, cwd), options: { env, signal: context.signal } };
}
