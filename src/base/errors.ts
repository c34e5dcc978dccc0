import { omitUndefined } from './defined.js';
import type { ERROR_CODES } from './error-codes.js';
import type { Instruction, Invocation } from './invocation.js';

/** A stable error code of error-codes.ts, documented in docs/errors.md. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** One of the problems behind an error. */
export interface ErrorDetail {
  problem: string;
  /** The file, option or name that has the problem. */
  target?: string;
  agent?: string;
  /** A JSON pointer into `target`. */
  pointer?: string;
  /** `file:line:column`. */
  at?: string;
  expected?: string;
  /** A value from a closed list, for programs that need more than the code. */
  reason_code?: string;
}

/** How to resolve an error: text, one command, or text with commands in it. */
export type Fix = string | Invocation | Instruction;

/** The parts of an error besides its code and message (protocol.md, Errors). */
export interface ErrorParts {
  /** Every problem, not only the first. */
  details?: ErrorDetail[];
  /** Resolves the error if an agent follows it; never destructive. */
  fix?: Fix;
  /** A command that only a person can run, in a terminal of their own; never part of `fix`. */
  answer?: Invocation;
  /** A legitimate alternative to `fix`. */
  instead?: Invocation;
  /** The run in which the error occurred. */
  run?: string;
  /** The action that is still pending. */
  pending?: { actionId: string; ack?: Invocation };
  cause?: unknown;
}

/**
 * The only error type for failures that a user can cause or encounter. Any other thrown value is a defect in dev-cli.
 */
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

  /** Returns a copy of the error with the run and the pending action, unless the error names them already. */
  inRun({ run, pending }: Pick<ErrorParts, 'run' | 'pending'>): DevCliError {
    const { code, message, details, fix, answer, instead } = this;
    const where = { run: this.run ?? run, pending: this.pending ?? pending };
    return new DevCliError(code, message, {
      ...omitUndefined({ fix, answer, instead, ...where }),
      details,
      cause: this,
    });
  }
}

/** Returns the `code` of a Node system error (`ENOENT`, …), or undefined for any other value. */
export function getSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
