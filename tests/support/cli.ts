import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'vitest';
import { ERROR_CODES } from '../../src/base/error-codes.js';
import { runCodec } from '../../src/run/codec.js';
import type { Action, Answer } from './agent.mjs';
import { callDoor, loadChecks, type Printed } from './door.js';
import { runLine } from './line.mjs';
import { BINARY, type Project } from './project.mjs';

/** The result of one call of the binary. */
export interface Result {
  code: number;
  stdout: string;
  stderr: string;
  /** The JSON document that was printed; empty if the output was text. */
  json: Document;
}

/** Any document that dev-cli prints. Every member is optional, since each test checks for the members it expects. */
export interface Document extends Answer, Omit<Partial<Action>, 'run' | 'action' | 'round'> {
  run?: string;
  action?: string;
  status?: string;
  completed?: string | null;
  duplicate?: boolean;
  round?: unknown;
  collected?: unknown[];
  ran?: { block: string; ok: boolean; summary: string }[];
  pending?: { actionId: string; ack?: string };
  [key: string]: unknown;
}

export interface CallOptions {
  stdin?: string | Buffer;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

/** Commands that print text by default, without `--json` (protocol.md §1). */
const FOR_PEOPLE = new Set([
  'status',
  'list',
  'history',
  'manifest',
  'doctor',
  'completion',
  'conformance',
  'ci',
  'install',
  'uninstall',
  'demo',
  'guard',
  'hook',
]);
const RECIPE_FOR_PEOPLE = new Set(['lint', 'graph', 'list', 'show', 'simulate', 'test', 'new', 'verify']);

/** Memory commands whose `--text` takes a value, instead of asking for text output. */
const TEXT_IS_A_VALUE = new Set(['decide', 'next', 'note', 'verify']);

/** Commands that print one document per line (protocol.md §1). */
const STREAMS = new Set(['journal']);

/** Commands that print a report: on exit 3 it has `ok: false` and no `error` (protocol.md §1). */
const REPORTS = [
  /^draft validate/,
  /^plan validate/,
  /^check/,
  /^recipe (lint|verify|test|simulate)/,
  /^conformance/,
  /^ci\b/,
  /^replay .*--check/,
  /^doctor/,
];

/**
 * Calls dev-cli through its front door and checks the rules that hold for every call (protocol.md, Output;
 * protocol.md, Exit codes judge only what was asked).
 */
export function devCli(project: Project, args: string[], { stdin, env, cwd = project.root }: CallOptions = {}): Result {
  return checked(args, callDoor({ argv: args, cwd, env: { ...project.env, ...env }, stdin }));
}

/** Calls the shipped binary in a process of its own, for tests of the process itself. */
export function spawnDevCli(
  project: Project,
  args: string[],
  { stdin, env, cwd = project.root }: CallOptions = {},
): Result {
  const child = spawnSync(process.execPath, [BINARY, ...args], {
    cwd,
    env: { ...project.env, ...env },
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 256 * 1024 * 1024,
    ...(stdin === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] as const } : { input: stdin }),
  });
  return checkedAlone(args, { ...child, exit: child.status ?? -1 });
}

/** Runs a command line exactly as printed. */
export function runPrinted(
  project: Project,
  command: string,
  { env, cwd = project.root }: Omit<CallOptions, 'stdin'> = {},
): Result {
  return checked(command.split(' ').slice(1), runLine(command, { cwd, env: { ...project.env, ...env } }));
}

/** Starts a call of the binary without blocking, so that tests can race several calls. */
export function devCliAsync(project: Project, args: string[], options: CallOptions = {}): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BINARY, ...args], {
      cwd: options.cwd ?? project.root,
      env: { ...project.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (status) => {
      try {
        resolve(checkedAlone(args, { exit: status ?? -1, stdout, stderr }));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Checks a call in a process of its own, of which the front door knows nothing. */
function checkedAlone(args: string[], printed: Printed): Result {
  loadChecks().requireDeclared(args, printed);
  return checked(args, printed);
}

function checked(args: string[], { exit: code, stdout, stderr }: Printed): Result {
  const shown = `dev-cli ${args.join(' ').slice(0, 300)}\nexit ${code}\nstdout: ${stdout.slice(0, 2000)}\nstderr: ${stderr.slice(0, 2000)}`;
  expect([0, 1, 2, 3, 4, 130], shown).toContain(code);
  expect(`${stdout}${stderr}`, `a stack trace in ${shown}`).not.toMatch(/^\s+at .+(:\d+:\d+\)?|\(node:)/m);
  expect(`${stdout}${stderr}`, shown).not.toContain('INTERNAL');
  if (printsText(args)) {
    if (code !== 0 && stdout === '') expect(stderr, shown).toMatch(/^[A-Z_]+: .+\n( {2}.+\n)*$/);
    else expect(stderr, shown).toBe('');
    return { code, stdout, stderr, json: {} };
  }
  expect(stderr, shown).toBe('');
  expect(stdout.endsWith('\n'), `no whole line: ${shown}`).toBe(true);
  const lines = stdout.slice(0, -1).split('\n');
  if (!STREAMS.has(args[0] ?? '')) expect(lines.length, `not one line: ${shown}`).toBe(1);
  const json = JSON.parse(lines.at(-1) ?? '') as Document;
  checkError(args, code, json, shown);
  return { code, stdout, stderr, json };
}

function checkError(args: string[], code: number, json: Document, shown: string): void {
  const report = code === 3 && REPORTS.some((form) => form.test(args.join(' '))) && json.error === undefined;
  if (code === 0 || report) {
    expect(json.error, shown).toBeUndefined();
    if (report) expect(json['ready'] ?? json.ok, shown).toBe(false);
    return;
  }
  expect(json.ok, shown).toBe(false);
  const error = json.error;
  if (error === undefined) throw new Error(`no error in ${shown}`);
  expect(Object.keys(ERROR_CODES), shown).toContain(error.code);
  expect(ERROR_CODES[error.code as keyof typeof ERROR_CODES], shown).toBe(code);
  expect(error.message.length, shown).toBeGreaterThan(10);
}

function printsText(args: string[]): boolean {
  if (args.includes('--json')) return false;
  const [first = '', second = ''] = args;
  if (args.includes('--text') && !(first === 'memory' && TEXT_IS_A_VALUE.has(second))) return true;
  if (first === 'plan' && second === 'diff') return true;
  if (first === 'init' && args.length === 1) return true;
  return FOR_PEOPLE.has(first) || (first === 'recipe' && RECIPE_FOR_PEOPLE.has(second)) || args.includes('--help');
}

/** Returns the directory of a run. */
export function runDir(project: Project, name: string): string {
  return join(project.root, '.dev/specs', name);
}

export interface State {
  runId: string;
  status: string;
  outcome: string | null;
  recipe: string;
  mode: Record<string, string>;
  goal: string | null;
  steps: Record<string, { status: string; round?: number; retries?: number; summary?: string }>;
  agents: Record<string, { status: string; outputHash: string | null; reason?: string; verdict?: string }>;
  gates: Record<string, { choice: string; by: string; digest?: string | null }>;
  data?: Record<string, unknown>;
  pendingAction: ({ issuedAt: string; acknowledged: boolean } & Record<string, unknown>) | null;
  lastError: { code: string; message: string; block: string; at: string } | null;
  seq: number;
  preferences: Record<string, unknown>;
}

/** Reads state.json as stored. */
export function readStateFile(project: Project, name: string) {
  return JSON.parse(readFileSync(join(runDir(project, name), 'state.json'), 'utf8'));
}

/** Reads state.json through the codec of dev-cli, which indexes the todos by id. */
export function stateOf(project: Project, name: string): State {
  return runCodec.parse(readFileSync(join(runDir(project, name), 'state.json'), 'utf8')) as unknown as State;
}

export function journalOf(project: Project, name: string): Record<string, unknown>[] {
  const text = readFileSync(join(runDir(project, name), 'events.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/**
 * Files that a runner removes once its command's exit is recorded. That can be a moment after the waiting call has
 * answered, so images leave them out.
 */
const TIDIED = ['runner', 'command.json', 'started.json'];

/** Returns every file below `.dev` with its digest, so equal images mean that nothing changed. */
export function imageOf(project: Project, below = '.dev'): Record<string, string> {
  const image: Record<string, string> = {};
  const walk = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      const key = relative(project.root, path);
      if (TIDIED.includes(entry.name) && existsSync(join(directory, 'exit.json'))) continue;
      if (entry.isSymbolicLink()) image[key] = `-> ${readlinkSync(path)}`;
      else if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) image[key] = createHash('sha256').update(readFileSync(path)).digest('hex');
      else image[key] = 'special';
    }
  };
  const top = join(project.root, below);
  if (existsSync(top) && statSync(top).isDirectory()) walk(top);
  return image;
}

/** Writes a file of the project and creates its directories. */
export function writeProjectFile(project: Project, path: string, content: string | Buffer): string {
  const target = join(project.root, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}

/** Writes a project recipe and returns its name. */
export function writeRecipe(project: Project, name: string, yaml: string): string {
  writeProjectFile(project, `.dev/recipes/${name}.yaml`, yaml);
  return name;
}

/** Calls `init --new`, which must succeed, even if a live run has the same goal. */
export function init(project: Project, name: string, ...args: string[]): Document {
  const result = devCli(project, ['init', name, ...args, '--new']);
  expect(result.code, result.stdout).toBe(0);
  return result.json;
}

/** Returns an envelope's action; fails the test if there is none. */
export function nextOf(document: Document): Action {
  if (document.next === undefined) throw new Error(`no action in ${JSON.stringify(document)}`);
  return document.next;
}
