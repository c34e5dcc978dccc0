import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callDoor } from './door.js';
import type { Project } from './project.mjs';

/** Helpers for projects with goals on which a scripted stand-in for an agent's tool works (loop-core.md, auto). */

const TOOL = fileURLToPath(new URL('tool.mjs', import.meta.url));

/** What the tool does in one session of a goal (tool.mjs). */
export interface Session {
  write?: Record<string, string>;
  remove?: string[];
  /** A command line for sh. */
  run?: string;
  /** The status in the handoff; null to write no handoff. */
  handoff?: 'complete' | 'failed' | 'blocked' | null;
  reason?: string;
  /** The whole text of the handoff, instead of the usual one. */
  text?: string;
  exit?: number;
  /** Seconds. */
  sleep?: number;
  says?: string;
}

/** The output of a command that runs a batch. */
export interface Batch {
  exit: number;
  stderr: string;
  json: {
    ok: boolean;
    error?: { code: string; message: string; details?: unknown[]; fix?: string };
    goals_processed: {
      id: string;
      success: boolean;
      classification: string;
      action_taken: string;
      reason?: string;
      ref: string | null;
    }[];
    not_run: { id: string; reason: string }[];
    parked: { goal: string; run: string | null; reason: string }[];
    errors: string[];
    changed_files: string[];
    [key: string]: unknown;
  };
}

/** Runs git in a project. */
export const git = (project: Project, ...args: string[]): string =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' }).trim();

/** Makes a project a repository with goals, and with a test command that fails if a file `broken` exists. */
export function setUpLoop(
  project: Project,
  { goals, sessions, config = '' }: { goals: string; sessions: Record<string, Session[]>; config?: string },
): void {
  const script = join(project.root, '..', `script-${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(script, JSON.stringify(sessions));
  project.env['LOOP_SCRIPT'] = script;
  mkdirSync(join(project.root, '.ai'), { recursive: true });
  const settings = [
    'test_command: "test ! -e broken"',
    `ai_tool: ${process.execPath} ${TOOL} ${script} {prompt_file} {goal}`,
  ];
  const defaults = config.includes('backoff_minutes') ? [] : ['backoff_minutes: [0.001]'];
  write(project, '.ai/config.yaml', `${[...settings, ...defaults, config].join('\n')}\n`);
  write(project, '.ai/goals.yaml', `goals:\n${goals}`);
  write(project, '.ai/.gitignore', 'auto.lock*\nevents/\n');
  git(project, 'add', '-A');
  git(project, 'commit', '-q', '-m', 'begin');
}

/** Writes a file of the project. */
export function write(project: Project, path: string, content: string): void {
  writeFileSync(join(project.root, path), content);
}

/** Calls a command that starts sessions, and trusts the configured commands for this call. */
export function runLoop(project: Project, ...args: string[]): Batch {
  return call(project, [...args, '--trust', readDigest(project)]);
}

/** Calls any command of the loop. */
export function call(project: Project, args: string[]): Batch {
  const { exit, stdout, stderr } = callDoor({ argv: [...args, '--json'], cwd: project.root, env: project.env });
  return { exit, stderr, json: JSON.parse(stdout) };
}

/** Returns the digest of the configured commands, as `--dry-run` prints it. */
export function readDigest(project: Project): string {
  const { json } = call(project, ['auto', '--recursive', '--dry-run']);
  return (json as unknown as { trust?: { digest: string } }).trust?.digest ?? 'none';
}

/** Returns the prompt that the tool read in one of a goal's sessions. */
export const promptOf = (project: Project, goal: string, session: number): string =>
  readFileSync(`${project.env['LOOP_SCRIPT']}.${goal}-${session}.prompt`, 'utf8');

/** Counts the sessions of a goal that were begun. */
export const countSessions = (project: Project, goal: string): number =>
  readFileSync(`${project.env['LOOP_SCRIPT']}.begun`, 'utf8')
    .split('\n')
    .filter((line) => line === goal).length;

/** Lists the subjects of the commits since the goals were added, newest first. */
export const subjectsOf = (project: Project, branch = 'main'): string[] =>
  git(project, 'log', '--format=%s', branch).split('\n').slice(0, -2);

export const eventsOf = (
  project: Project,
): { event_type: string; event_id: string; payload: Record<string, unknown> }[] =>
  readFileSync(join(project.root, '.ai/events/events.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
