import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { isMissing, readRegular, readStats } from '../store/inside.js';
import { withIoErrors } from '../store/io.js';
import { LOG_LIMIT } from './log.js';

/** What lies in the directory of an external command (protocol.md §4). Everything but the log appears whole or not at all. */

/** An external command as it is to be run: `command.json`, written by `launch`. */
export interface ProcessSpec {
  /** Ties the started and the finished entry of the journal together. */
  key: string;
  /** The argument vector; with `shell` its one element is a line for `sh -c`. */
  argv: string[];
  shell: boolean;
  /** Absolute. */
  cwd: string;
  timeoutSeconds: number;
  /** Digest of the work tree it starts on, for reuse of its result; null or absent where there is none. */
  tree?: string | null;
}

/** `started.json`: written before the command's first instruction; from then on it is never started again. */
export interface StartedRecord {
  /** The runner, and when it started (processes.ts). */
  pid: number;
  start: string | null;
  /** The boot on which these process ids mean something (store/process.ts). */
  host: string;
  /** The command's process group, whose leader is the command itself, and when that started. */
  pgid: number;
  groupStart: string | null;
  /** UTC with milliseconds. */
  at: string;
}

/** `exit.json`: how the command ended. */
export interface ExitRecord {
  key: string;
  argv: string[];
  /** As in the command: the work tree it started on. */
  tree: string | null;
  /** Null when a signal ended it or it could not be started. 126 and 127: not executable, not found. */
  exit: number | null;
  signal: string | null;
  /** It was ended because its time was over. */
  timedOut: boolean;
  /** UTC with milliseconds. */
  startedAt: string;
  at: string;
  durationMs: number;
  /** What the command wrote, in bytes; the log keeps at most LOG_LIMIT of it. */
  logBytes: number;
  /** `spawn`: it could not be started. `log`: its output could not be kept. */
  error?: 'spawn' | 'log';
  /** What the system said to `error`. */
  reason?: string;
}

export const commandFile = (directory: string): string => join(directory, 'command.json');
export const startedFile = (directory: string): string => join(directory, 'started.json');
export const exitFile = (directory: string): string => join(directory, 'exit.json');
/** Held by the one runner that may start the command. */
export const claimFile = (directory: string): string => join(directory, 'runner');
/** There from the commit on in which its run gave the command up: it may not begin any more, and is ended. */
export const withdrawnFile = (directory: string): string => join(directory, 'withdrawn');
/** Standard output and standard error of the command. */
export const logFile = (directory: string): string => join(directory, 'command.log');

/** More than a record of ours has, in bytes: the argument vector is bounded by the system. */
const LARGEST = 16 * 1024 * 1024;

/** `damaged`: something stands there that this program did not write whole. */
export type Reading<T> = T | 'absent' | 'damaged';

/** @throws DevCliError `IO` */
export function readSpec(directory: string): Reading<ProcessSpec> {
  return readRecord(commandFile(directory), isSpec);
}

/** @throws DevCliError `IO` */
export function readStarted(directory: string): Reading<StartedRecord> {
  return readRecord(startedFile(directory), isStarted);
}

/** @throws DevCliError `IO` */
export function readExit(directory: string): Reading<ExitRecord> {
  return readRecord(exitFile(directory), isExit);
}

/** Whether the command may not be started any more: a runner has begun, or it was given up. Throws like the readings. */
export function isClosed(directory: string): boolean {
  return isWithdrawn(directory) || readExit(directory) !== 'absent' || readStarted(directory) !== 'absent';
}

/**
 * The text of a log, or of what else lies beside it; null when it is gone or is no file of ours.
 * @param path absolute
 * @throws DevCliError `IO` for what else keeps it from being read
 */
export function readText(path: string): string | null {
  return withIoErrors(path, null, () => {
    try {
      return readRegular(path, LARGEST)?.toString('utf8') ?? null;
    } catch (error) {
      if (isMissing(error) || getSystemCode(error) === 'ELOOP') return null;
      throw error;
    }
  });
}

/** Characters of an output that say why it ended badly. */
const LAST_WORDS = 2000;

/** The end of what a command wrote, where the reason stands; nothing where that is gone. */
export function readLogEnd(directory: string): string {
  return (readText(logFile(directory)) ?? '').slice(-LAST_WORDS).trim();
}

/** Whether the log at a path has the length that its command's exit record tells; where it could not be kept it has none. */
export function isWholeLog(path: string, { logBytes, error }: ExitRecord): boolean {
  if (error !== undefined) return true;
  return (readStats(path)?.size ?? -1) >= Math.min(logBytes, LOG_LIMIT);
}

/** Whether the run gave the command up. */
export function isWithdrawn(directory: string): boolean {
  return existsSync(withdrawnFile(directory));
}

function readRecord<T>(path: string, fits: (value: unknown) => value is T): Reading<T> {
  const text = withIoErrors(path, null, () => readRecordText(path));
  if (text === null) return 'absent';
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? value : 'damaged';
  } catch {
    return 'damaged';
  }
}

/** Null where nothing is, empty for what is no file of ours: never waited for, whatever it is. */
function readRecordText(path: string): string | null {
  try {
    return readRegular(path, LARGEST)?.toString('utf8') ?? '';
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isPid = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 1;

function isSpec(value: unknown): value is ProcessSpec {
  if (!isRecord(value)) return false;
  const { key, argv, shell, cwd, timeoutSeconds, tree } = value;
  return (
    isTextOrNull(tree ?? null) &&
    isText(key) &&
    isTexts(argv) &&
    typeof shell === 'boolean' &&
    isText(cwd) &&
    Number(timeoutSeconds) > 0
  );
}

/** Strict about the process ids: signals are sent to them. */
function isStarted(value: unknown): value is StartedRecord {
  if (!isRecord(value)) return false;
  const { pid, start, host, pgid, groupStart, at } = value;
  const known = isTextOrNull(start) && isTextOrNull(groupStart);
  return known && isPid(pid) && isPid(pgid) && isText(host) && isText(at);
}

function isExit(value: unknown): value is ExitRecord {
  if (!isRecord(value)) return false;
  const { key, argv, tree, exit, signal, timedOut, startedAt, at, durationMs, logBytes } = value;
  const judged = (exit === null || Number.isInteger(exit)) && isTextOrNull(signal) && typeof timedOut === 'boolean';
  const measured = isTextOrNull(tree) && Number.isFinite(durationMs) && Number.isFinite(logBytes);
  return judged && measured && isText(key) && isTexts(argv) && isText(startedAt) && isText(at);
}
