import { isRecord, type Json } from '../../base/json.js';
import type { CaseStep } from './fixture.js';

/** The targets that a case is run against (neutral.md, Conformance). */

/** A target's reply to a call, which it may have refused. */
export interface TargetReply {
  value: Json;
  refused: boolean;
}

/** Answers the calls of one case. */
export interface CaseTarget {
  /** @throws TargetError */
  call(step: Pick<CaseStep, 'name' | 'params'>): Promise<TargetReply>;
  close(): Promise<void>;
}

/** The target did not start, died, timed out, or violated the protocol, so its behaviour cannot be judged. */
export class TargetError extends Error {
  /** @param message is put on one line, since it may contain a program's output */
  constructor(message: string) {
    super(toLine(message));
  }
}

function toLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' / ');
}

/** Command lines as argument vectors, in which `{root}`, `{call}` and `{params}` are replaced. */
export interface TargetCommands {
  server?: readonly string[];
  command?: readonly string[];
}

/** The target's own names for the calls of the contract. */
export interface TargetNames {
  prefix: string;
  /** Maps a tool, or `tool.parameter`, to the target's name for it. */
  renamed: ReadonlyMap<string, string>;
}

/** The directory, environment and time limit with which a case is run. */
export interface CaseEnvironment {
  /** Absolute directory of the case. */
  root: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Maximum seconds until a call is answered. */
  seconds: number;
}

/** Returns the message of a value that is a refusal; null if it is none. */
export function readRefusal(value: unknown): string | null {
  const error = isRecord(value) ? value['error'] : undefined;
  if (typeof error === 'string') return error;
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : null;
}

const SHOWN = 500;

/** Renders the end of a program's standard error. */
export function renderStderrEnd(stderr: Buffer | string): string {
  const text = toLine(stderr.toString());
  return text === '' ? '' : `; its standard error ends: ${text.slice(-SHOWN)}`;
}
