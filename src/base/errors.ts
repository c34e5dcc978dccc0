import { defined } from './defined.js';
import type { ERROR_CODES } from './error-codes.js';
import type { Instruction, Invocation } from './invocation.js';

/** A stable error code; all are listed in error-codes.ts and documented in docs/errors.md. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** One problem among several. `target` is a file, option or name; `pointer` a JSON pointer; `at` is `file:line:column`. */
export interface ErrorDetail {
  problem: string;
  target?: string;
  agent?: string;
  pointer?: string;
  at?: string;
  expected?: string;
}

/** A command, or one instruction; the commands in an instruction are kept as commands. */
export type Fix = string | Invocation | Instruction;

/** What an error carries beside its code and message (protocol.md, Errors). */
export interface ErrorParts {
  /** Every problem, not only the first. */
  details?: ErrorDetail[];
  /** A command or one instruction that resolves it; never destructive. */
  fix?: Fix;
  /** What only a person can run, in a terminal of their own. Never part of `fix`, which an agent carries out. */
  answer?: Invocation;
  /** Another legitimate way on. */
  instead?: Invocation;
  /** The run it happened in. */
  run?: string;
  /** The action that is still pending. */
  pending?: { actionId: string; ack?: Invocation };
  cause?: unknown;
}

/** The one error type. Everything a user can meet is thrown as this; anything else is a defect of dev-cli. */
export class DevCliError extends Error {
  override readonly name = 'DevCliError';
  readonly details: ErrorDetail[];
  readonly fix: Fix | undefined;
  readonly answer: Invocation | undefined;
  readonly instead: Invocation | undefined;
  readonly run: string | undefined;
  readonly pending: ErrorParts['pending'];

  constructor(
    readonly code: ErrorCode,
    message: string,
    parts: ErrorParts = {},
  ) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.details = parts.details ?? [];
    this.fix = parts.fix;
    this.answer = parts.answer;
    this.instead = parts.instead;
    this.run = parts.run;
    this.pending = parts.pending;
  }

  /** The same error where it happened in a run: what was not said of that yet. */
  inRun({ run, pending }: Pick<ErrorParts, 'run' | 'pending'>): DevCliError {
    const { code, message, details, fix, answer, instead } = this;
    const where = { run: this.run ?? run, pending: this.pending ?? pending };
    return new DevCliError(code, message, { ...defined({ fix, answer, instead, ...where }), details, cause: this });
  }
}

/** The `code` of a Node system error (`ENOENT`, …), or undefined for anything else. */
export function getSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
