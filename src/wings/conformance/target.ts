import { isRecord, type Json } from '../../base/json.js';
import type { Step } from './fixture.js';

/** What a case is run against (neutral.md, Conformance). */

/** What a call came to. */
export interface Reply {
  value: Json;
  refused: boolean;
}

/** Answers calls in the directory of one case. */
export interface Target {
  /** @throws TargetError */
  call(step: Pick<Step, 'name' | 'params'>): Promise<Reply>;
  close(): Promise<void>;
}

/** It did not start, died, was silent for too long, or spoke no protocol: no verdict on what it does. */
export class TargetError extends Error {
  /** @param message put in one line, whatever a program has said */
  constructor(message: string) {
    super(toLine(message));
  }
}

function toLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' / ');
}

/** Command lines as argument vectors, in which `{root}`, `{call}` and `{params}` are replaced. */
export interface Commands {
  server?: readonly string[];
  command?: readonly string[];
}

/** How the calls of the contract are named by what is tested. */
export interface Naming {
  prefix: string;
  /** From a tool, or `tool.parameter`, to what it is called. */
  renamed: ReadonlyMap<string, string>;
}

/** Where a case is run. */
export interface Site {
  /** Absolute directory of the case. */
  root: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Seconds that an answer may take. */
  seconds: number;
}

/** The message of a refusal, where a value is one. */
export function readRefusal(value: unknown): string | null {
  const error = isRecord(value) ? value['error'] : undefined;
  if (typeof error === 'string') return error;
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : null;
}

const SHOWN = 500;

/** The end of what a program said on standard error. */
export function tellEnd(stderr: Buffer | string): string {
  const text = toLine(stderr.toString());
  return text === '' ? '' : `; its standard error ends: ${text.slice(-SHOWN)}`;
}
