import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { isRecord, parseOrNull } from '../base/json.js';
import { isMissing, readRegular, readRegularText, readStats } from '../store/inside.js';
import { withIoErrors } from '../store/io.js';
import { LOG_LIMIT } from './log.js';

/**
 * Reads the files of an external command (protocol.md §4). Every file except the log is written in one step, so it is
 * either complete or missing. Once the command has ended, only `exit.json` and the log remain.
 */

/** `command.json`: the command to run, written by `launchDetached`. */
export interface ProcessSpec {
  /** Shared by the `command-started` and `command-finished` entries of the journal. */
  key: string;
  /** The argument vector; with `shell`, its one element is a line for `sh -c`. */
  argv: readonly string[];
  shell: boolean;
  /** Absolute. */
  cwd: string;
  timeoutSeconds: number;
  /** Absolute path of the file that the command reads as its standard input; absent if it reads none. */
  stdin?: string;
  /**
   * Digest of the work tree on which the command starts, so that its result can be reused; null or absent without git.
   */
  tree?: string | null;
}

/**
 * `started.json`: written before the command's first instruction. Once it exists, the command is never started again.
 */
export interface StartedRecord {
  /** The runner's process, and when it started (work/processes.ts). */
  pid: number;
  start: string | null;
  /** The machine and boot for which the process ids are valid (store/process.ts). */
  host: string;
  /** The command's process group, whose leader is the command itself, and when that leader started. */
  pgid: number;
  groupStart: string | null;
  /** UTC with milliseconds. */
  at: string;
}

/** `exit.json`: how the command ended. */
export interface ExitRecord {
  key: string;
  argv: readonly string[];
  /** `tree` of the command's `ProcessSpec`. */
  tree: string | null;
  /** Null if a signal ended the command or it could not be started. 126: not executable; 127: not found. */
  exit: number | null;
  signal: string | null;
  /** Whether the command was ended because its timeout expired. */
  timedOut: boolean;
  /** UTC with milliseconds. */
  startedAt: string;
  at: string;
  durationMs: number;
  /** Bytes that the command wrote; the log keeps at most `LOG_LIMIT` of them. */
  logBytes: number;
  /** `spawn`: it could not be started. `log`: its output could not be kept. */
  error?: 'spawn' | 'log';
  /** The system's message for `error`. */
  reason?: string;
}

/** The command to run. */
export const getCommandFile = (directory: string): string => join(directory, 'command.json');
/** The record that the command has begun. */
export const getStartedFile = (directory: string): string => join(directory, 'started.json');
/** The record of how the command ended. */
export const getExitFile = (directory: string): string => join(directory, 'exit.json');
/** The claim of the one runner that may start the command. */
export const getClaimFile = (directory: string): string => join(directory, 'runner');
/** Exists once the run has withdrawn the command: it may no longer begin, and is ended if it has begun. */
export const getWithdrawnFile = (directory: string): string => join(directory, 'withdrawn');
/** Standard output and standard error of the command. */
export const getLogFile = (directory: string): string => join(directory, 'command.log');

/** Maximum size of a record in bytes. No record is larger, since the system limits the argument vector in it. */
const LARGEST = 16 * 1024 * 1024;

/** A record as read. `damaged`: the file exists, but dev-cli did not write it, or not completely. */
export type ReadRecord<T> = T | 'absent' | 'damaged';

/** Reads `command.json`. @throws DevCliError `IO` */
export function readSpec(directory: string): ReadRecord<ProcessSpec> {
  return readRecord(getCommandFile(directory), isSpec);
}

/** Reads `started.json`. @throws DevCliError `IO` */
export function readStarted(directory: string): ReadRecord<StartedRecord> {
  return readRecord(getStartedFile(directory), isStarted);
}

/** Reads `exit.json`. @throws DevCliError `IO` */
export function readExit(directory: string): ReadRecord<ExitRecord> {
  return readRecord(getExitFile(directory), isExit);
}

/**
 * Returns whether the command may no longer be started, because a runner has begun or the run withdrew it.
 * @throws DevCliError `IO`
 */
export function isClosed(directory: string): boolean {
  // The start record is read first, because it is removed only after the exit record has been written.
  return isWithdrawn(directory) || readStarted(directory) !== 'absent' || readExit(directory) !== 'absent';
}

/**
 * Reads a log, or another file beside it.
 * @param path absolute
 * @returns null if it is missing, or is not a regular file of a plausible size
 * @throws DevCliError `IO` if it cannot be read for any other reason
 */
export function readJobText(path: string): string | null {
  return withIoErrors(path, null, () => {
    try {
      return readRegularText(path, LARGEST);
    } catch (error) {
      if (getSystemCode(error) === 'ELOOP') return null;
      throw error;
    }
  });
}

/** Characters read from the end of a log to find the reason of a failure. */
export const LAST_WORDS = 2000;

/**
 * Reads the end of a command's log, where the reason of a failure is; empty if there is no log.
 * @param most the most characters to return
 */
export function readLogEnd(directory: string, most: number = LAST_WORDS): string {
  return (readJobText(getLogFile(directory)) ?? '').slice(-most).trim();
}

/**
 * Returns whether a log has the length that its exit record states; true also for a log that could not be written,
 * whose length is unknown.
 */
export function isWholeLog(path: string, { logBytes, error }: ExitRecord): boolean {
  if (error !== undefined) return true;
  return (readStats(path)?.size ?? -1) >= Math.min(logBytes, LOG_LIMIT);
}

/** Whether the run has withdrawn the command. */
export function isWithdrawn(directory: string): boolean {
  return existsSync(getWithdrawnFile(directory));
}

function readRecord<T>(path: string, fits: (value: unknown) => value is T): ReadRecord<T> {
  const text = withIoErrors(path, null, () => readRecordText(path));
  if (text === null) return 'absent';
  const value = parseOrNull(text);
  return fits(value) ? value : 'damaged';
}

/**
 * Reads a record's text; null if there is no file, and an empty text for anything but a regular file, since reading a
 * fifo could block.
 */
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
  const { key, argv, shell, cwd, timeoutSeconds, stdin, tree } = value;
  return (
    isTextOrNull(tree ?? null) &&
    isText(stdin ?? '') &&
    isText(key) &&
    isTexts(argv) &&
    typeof shell === 'boolean' &&
    isText(cwd) &&
    Number(timeoutSeconds) > 0
  );
}

/** Checks process ids strictly, since signals are sent to them. */
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
