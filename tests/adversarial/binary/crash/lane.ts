import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { type Action, StandIn } from '../../../support/agent.mjs';
import { type Image, readDirectories, readImage } from '../../../support/image.js';
import { BINARY, createProject, type Project } from '../../../support/project.mjs';
import { type Defect, HOOK_PLAN, type HookPlan, type Mutation } from './calls.js';
import { type Call, documentOf, type Step, type Story } from './story.js';

/** One command of a story, as it ran undisturbed. */
export interface Told {
  step: Step;
  /** The files before the command (but after its preparation), and after it. */
  before: Image;
  after: Image;
  /**
   * The directories before the command. A reset restores empty ones, too: creating a missing one would be one call
   * more, and the later calls would get other numbers.
   */
  directories: string[];
  /** The pending action of each run before the command. */
  pending: ReadonlyMap<string, Action>;
  call: Call;
  /** The answers of `next` before and after the command. */
  nextBefore: Call;
  nextAfter: Call;
  mutations: Mutation[];
}

const NOTHING_PENDING = {} as Action;

/**
 * A project in which the story ran once, undisturbed, and which can be reset to its state before any command. Each lane
 * has its own paths and inodes, so several can work in parallel.
 */
export class Lane {
  readonly project: Project;
  readonly agent: StandIn;
  readonly told: Told[] = [];
  readonly #hook: string;

  constructor(
    readonly story: Story,
    readonly defect: Defect | null = null,
  ) {
    this.project = createProject({ prefix: 'dev-cli-crash-' });
    this.agent = new StandIn({ project: this.project });
    this.#hook = join(this.project.home, 'hook.cjs');
    const entryPoints = [join(import.meta.dirname, 'hook.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: this.#hook, logLevel: 'error' });
    story.set(this.project.root);
  }

  /** Runs the story undisturbed and records it in `told`, so that any command can be cut later. */
  async tell(): Promise<void> {
    const pending = new Map<string, Action>();
    for (const step of this.story.steps) {
      this.prepare(step, pending);
      const before = readImage(this.project.root);
      const directories = readDirectories(this.project.root);
      const nextBefore = await this.next(step);
      const given = new Map(pending);
      const trace = join(this.project.home, 'trace.json');
      rmSync(trace, { force: true });
      const call = await this.run(step, given, { trace, cut: null });
      if (call.exit !== (step.exit ?? 0))
        throw new Error(`${step.title}: exit ${call.exit}: ${call.stdout}${call.stderr}`);
      this.note(step, call, pending);
      const mutations = JSON.parse(readFileSync(trace, 'utf8')) as Mutation[];
      const after = readImage(this.project.root);
      const nextAfter = await this.next(step);
      this.told.push({ step, before, directories, after, pending: given, call, nextBefore, nextAfter, mutations });
    }
  }

  /** Prepares a command, as the story says. */
  prepare(step: Step, pending: ReadonlyMap<string, Action>): void {
    step.prepare?.(this.agent, pending.get(step.run) ?? NOTHING_PENDING);
  }

  /** Stores the action in an answer as its run's pending action. */
  note(step: Step, call: Call, pending: Map<string, Action>): void {
    const next = documentOf(call)?.next;
    if (next !== undefined) pending.set(step.run, next);
  }

  /** Runs the command of a step. */
  run(step: Step, pending: ReadonlyMap<string, Action>, plan: Omit<HookPlan, 'defect'> | null): Promise<Call> {
    return this.#start(step.args(pending.get(step.run) ?? NOTHING_PENDING), step.env ?? {}, plan);
  }

  /** Asks for the pending action of a step's run. */
  next(step: Step): Promise<Call> {
    return this.#start(['next', step.run], {}, null);
  }

  /** Makes the binary rebuild every run of the story from its journal; returns the problems. */
  async replay(): Promise<string[]> {
    const problems: string[] = [];
    for (const run of new Set(this.story.steps.map((step) => step.run))) {
      const call = await this.#start(['replay', run, '--check', '--json'], {}, null);
      if (call.exit !== 0) problems.push(`replay ${run} --check: exit ${call.exit}: ${call.stdout}${call.stderr}`);
    }
    return problems;
  }

  remove(): void {
    this.project.remove();
  }

  #start(args: string[], env: Step['env'], plan: Omit<HookPlan, 'defect'> | null): Promise<Call> {
    const hook = plan === null && this.defect === null ? [] : ['--require', this.#hook];
    const whole: HookPlan = { ...(plan ?? { trace: null, cut: null }), defect: this.defect };
    const child = spawn(process.execPath, [...hook, BINARY, ...args], {
      cwd: this.project.root,
      env: { ...this.project.env, ...env, [HOOK_PLAN]: JSON.stringify(whole) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Promise((resolve, reject) => {
      const texts = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].setEncoding('utf8').on('data', (piece: string) => {
          texts[name] += piece;
        });
      }
      child.on('error', reject);
      child.on('close', (exit, signal) => resolve({ exit, signal, ...texts }));
    });
  }
}
