import { DevCliError } from '../../base/errors.js';
import type { Library } from '../../recipe/load/library.js';
import { leavesRun } from '../../recipe/writes.js';
import type { Action, PendingAction } from '../../run/action.js';
import { performDeed } from './act.js';
import type { Amount } from './amount.js';
import { listDifferences, listEndDifferences } from './compare.js';
import { scriptError } from './fault.js';
import { type Fixtures, readSaid } from './fixtures.js';
import { buildInitInput, renderGivenPlan } from './given.js';
import { cannedError, describeRefusal, judgeReply, type ScriptFault } from './refusal.js';
import { type Rehearsal, type RehearsalReply, rehearse } from './rehearsal.js';
import type { ExpectedAction, ExpectedEnd, ScriptSetup, ScriptStep } from './script-schema.js';
import { countPrompts, describeDeed, doesSomething, isUntilReached, suggestBlock, waitsForCommand } from './steps.js';

/** Plays a script in a rehearsal, and reports where the run differs from it (authoring.md, Scripts). */

/** Maximum actions of a run; a run with more counts as endless. */
const MOST_ACTIONS = 1_000;

/** An issued action, and how the play answered it. */
export interface PlayedAction {
  action: PendingAction;
  /** The current phase; null outside a workflow. */
  phase: string | null;
  /** Size of the prompts that the action hands out. */
  prompts: Amount;
  /** The step of the script; null if the script had none for it. */
  step: number | null;
  /** The answer, in words. */
  did: string;
  /** The error code of the refusal; null if the answer was accepted. */
  refused: string | null;
}

/** The result of playing a script. */
export interface PlayResult {
  on: Rehearsal;
  played: readonly PlayedAction[];
  /** The last action: `done`, or the action at which the play stopped. Null if the run did not begin. */
  last: Action | null;
  /** The refusal to begin the run, if the script expects it. */
  refusal: DevCliError | null;
  findings: ScriptFault[];
}

/** The content of a script, whether of a simulation or of a test case. */
export interface ScriptContent {
  given?: ScriptSetup | undefined;
  steps?: readonly ScriptStep[] | undefined;
  end?: ExpectedEnd | undefined;
}

/** Everything that a play uses besides its script. */
export interface PlayOptions {
  library: Library;
  signal: AbortSignal;
  fixtures: Fixtures;
  /** Returns the step for an action about which the script says nothing; null ends the play there. */
  improvise?: ((action: PendingAction, on: Rehearsal) => Promise<ScriptStep | null>) | undefined;
  /** Compares an action with its snapshot, if the step expects one. Returns a message about the difference, or null. */
  compare?: ((action: PendingAction, step: number) => string | null) | undefined;
}

/** Begins a run and plays a script to its end; every deviation becomes a finding. */
export async function playScript(recipe: string, scene: ScriptContent, options: PlayOptions): Promise<PlayResult> {
  const { given = {} } = scene;
  const lacks = Object.fromEntries((given.lacks ?? []).map((need) => [need, `${need} is not available`]));
  const on = rehearse({ library: options.library, signal: options.signal, lacks });
  const player = new Player(on, scene, options);
  const begun = await player.begin(recipe, given);
  if (begun) await player.run();
  const { played, last, refusal, findings } = player;
  return { on, played, last, refusal, findings };
}

class Player {
  readonly played: PlayedAction[] = [];
  readonly findings: ScriptFault[] = [];
  last: Action | null = null;
  refusal: DevCliError | null = null;
  /** Blocks whose commands succeeded during the current step although the step does not mention them. */
  private ended: string[] = [];

  constructor(
    private readonly on: Rehearsal,
    private readonly scene: ScriptContent,
    private readonly options: PlayOptions,
  ) {}

  /** Begins the run. Returns false if it did not begin. */
  async begin(recipe: string, given: ScriptSetup): Promise<boolean> {
    const input = buildInitInput(given);
    const went = await this.guarded(['given'], async () => {
      for (const [path, text] of Object.entries(given.files ?? {})) {
        if (leavesRun(path)) throw scriptError('files', `${JSON.stringify(path)} leads out of the run's directory.`);
        this.on.put(path, readSaid(text, this.options.fixtures, `files/${path}`));
      }
      if (given.plan !== undefined) await this.givePlan(given.plan, input.goal);
      let reply = await this.on.begin(recipe, input);
      if (!reply.ok && reply.error.code === 'PLAN_MISSING' && given.plan === undefined) {
        await this.givePlan('middle', input.goal);
        reply = await this.on.begin(recipe, input);
      }
      if (reply.ok) this.last = await this.action();
      judgeReply(reply, given);
      if (!reply.ok) this.refusal = reply.error;
    });
    if (this.refusal === null) return went;
    const { steps = [], end } = this.scene;
    if (steps.length > 0) this.find(['steps', 0], 'The run did not begin, so this step is never reached.');
    if (end !== undefined) this.find(['end'], 'The run did not begin, so it has no end.');
    return false;
  }

  private async givePlan(plan: unknown, goal: string): Promise<void> {
    const text = renderGivenPlan(plan, goal, this.options.fixtures);
    const reply = await this.on.document('plan generate', { data: { source: 'inline', text } });
    if (!reply.ok) throw reply.error;
  }

  async run(): Promise<void> {
    const { steps } = this.scene;
    if (steps === undefined) await this.improviseUntil(() => false, []);
    else {
      for (const [index, step] of steps.entries()) if (!(await this.takeOften(step, index))) return;
      await this.finish(steps.length);
    }
    if (this.findings.length === 0 && this.last?.action === 'done') await this.judgeEnd();
  }

  private async takeOften(step: ScriptStep, index: number): Promise<boolean> {
    for (let left = step.times ?? 1; left > 0; left -= 1) {
      if (this.isEndless(['steps', index]) || !(await this.take(step, index))) return false;
    }
    return true;
  }

  /** Takes one step of the script. Returns false if the play cannot continue. */
  private async take(step: ScriptStep, index: number): Promise<boolean> {
    const place = ['steps', index];
    const { until } = step;
    this.ended = [];
    if (
      until !== undefined &&
      !(await this.improviseUntil((action, phase) => isUntilReached(step, action, phase), place))
    ) {
      return false;
    }
    if (until === 'end') return true;
    if (until === undefined && !waitsForCommand(step) && !(await this.endCommands(place))) return false;
    const action = this.last as Action;
    if (step.expect !== undefined && !(await this.judge(step.expect, action, index))) return false;
    if (action.action === 'done' && step.invalidate === undefined) {
      if (step.expect?.action === 'done') return true;
      return this.find(place, `The run ended before this step (${action.outcome}: ${action.summary}).`);
    }
    if (!doesSomething(step) && until !== undefined) return true;
    return this.guarded(place, async () => this.accept(await this.perform(action, step, index), step));
  }

  /** Checks the reply to a step. @throws DevCliError unless the reply was accepted or refused as the step expects */
  private async accept(reply: RehearsalReply, step: ScriptStep): Promise<void> {
    this.last = await this.action();
    judgeReply(reply, step);
  }

  private async perform(action: Action, step: ScriptStep, index: number | null): Promise<RehearsalReply> {
    if (action.action === 'done') {
      return step.invalidate === undefined ? { ok: true, json: {} } : this.on.invalidate(step.invalidate);
    }
    const { expect: _, until: _until, times: _times, ...deed } = step;
    const prompts = countPrompts(this.on, action);
    const phase = (await this.on.read()).workflow?.currentPhase ?? null;
    const reply = await performDeed(this.on, action, deed, this.options.fixtures);
    const refused = reply.ok ? null : reply.error.code;
    this.played.push({ action, phase, prompts, step: index, did: describeDeed(action, step, reply), refused });
    return reply;
  }

  /** Answers actions without the script until `isThere` holds. Returns false if a finding was reported instead. */
  private async improviseUntil(
    isThere: (action: PendingAction, phase: string | null) => boolean,
    place: (string | number)[],
  ) {
    const { improvise } = this.options;
    while (this.last !== null && this.last.action !== 'done') {
      const { workflow } = await this.on.read();
      const action = this.last;
      if (isThere(action, workflow?.currentPhase ?? null)) return true;
      if (this.isEndless(place)) return false;
      const step = improvise === undefined ? {} : await improvise(action, this.on);
      if (step === null) return true;
      const went = await this.guarded(
        place,
        async () => {
          const reply = await this.perform(action, step, null);
          this.last = await this.action();
          // An improvised answer may be refused; the action then stays pending. A canned one must be accepted.
          if (!reply.ok && improvise === undefined) throw cannedError(action, reply.error);
        },
        'Add a step for this block that says what is handed in.',
      );
      if (!went) return false;
    }
    const [, index] = place;
    const until = typeof index === 'number' ? this.scene.steps?.[index]?.until : undefined;
    if (until === undefined || until === 'end') return true;
    const meant = suggestBlock(until, await this.on.read());
    return this.find([...place, 'until'], `The run ended without reaching ${until}${this.describeEnd()}.${meant}`);
  }

  /** Lets pending commands that the script does not mention succeed. */
  private async endCommands(place: (string | number)[]): Promise<boolean> {
    while (this.last?.action === 'running') {
      if (this.isEndless(place)) return false;
      const action = this.last;
      this.ended.push(action.block);
      const went = await this.guarded(place, async () => {
        const reply = await this.perform(action, {}, null);
        if (!reply.ok) throw reply.error;
        this.last = await this.action();
      });
      if (!went) return false;
    }
    return true;
  }

  /** Reports a finding if the run does not end with the script. */
  private async finish(steps: number): Promise<void> {
    const place = steps === 0 ? ['steps'] : ['steps', steps - 1];
    if (this.findings.length > 0 || !(await this.endCommands(place))) return;
    if (this.last === null || this.last.action === 'done') return;
    const final = this.scene.steps?.at(-1);
    // A script that merely shows how a run reaches an action ends with an `until` and nothing to do; that is not a
    // fault.
    if (final?.until !== undefined && !doesSomething(final)) return;
    const { block, action } = this.last;
    this.find(
      place,
      `The steps end here, but the run continues: got ${block} (${action}).`,
      'Add a step, or `until: end`.',
    );
  }

  private async judge(expected: ExpectedAction, action: Action, index: number): Promise<boolean> {
    const place = ['steps', index, 'expect'];
    const phase = (await this.on.read()).workflow?.currentPhase ?? null;
    const wrong = listDifferences(expected, action, phase);
    for (const { key, is, expected: wanted } of wrong) {
      const hasPassed = key === 'block' && this.ended.includes(wanted);
      this.find(
        [...place, key],
        `\`${key}\`: expected ${wanted}, got ${is}${this.describeEnd()}.${hasPassed ? ` The command of ${wanted} has already passed.` : ''}`,
        hasPassed ? 'Answer a command with `command`, or expect it with `action: running`.' : undefined,
      );
    }
    if (expected.snapshot === true && action.action !== 'done') {
      const changed = this.options.compare?.(action, index) ?? null;
      if (changed !== null)
        this.find([...place, 'snapshot'], changed, 'If the new action is right: dev-cli recipe test --update');
    }
    return wrong.length === 0;
  }

  private async judgeEnd(): Promise<void> {
    const { end } = this.scene;
    if (end === undefined || this.last?.action !== 'done') return;
    const isThere = (path: string) => this.on.text(path) !== null;
    for (const { key, message } of listEndDifferences(end, this.last, isThere)) this.find(['end', ...key], message);
  }

  private isEndless(place: (string | number)[]): boolean {
    if (this.options.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted. Nothing was written.');
    if (this.played.length < MOST_ACTIONS) return false;
    this.find(
      place,
      `The run has not ended after ${MOST_ACTIONS} actions.`,
      'Limit its loops, or end it in the script.',
    );
    return true;
  }

  private describeEnd(): string {
    return this.last?.action === 'done' ? ` (${this.last.outcome}: ${this.last.summary})` : '';
  }

  /** Runs a part of the play. A refusal becomes a finding at `place`, and the result is false. */
  private async guarded(place: (string | number)[], part: () => Promise<void>, fix?: string): Promise<boolean> {
    try {
      await part();
      return true;
    } catch (error) {
      if (!(error instanceof DevCliError) || error.code === 'INTERNAL' || error.code === 'INTERRUPTED') throw error;
      this.findings.push(describeRefusal(error, place, fix));
      return false;
    }
  }

  private find(place: readonly (string | number)[], message: string, fix?: string): false {
    this.findings.push({ place, message, ...(fix === undefined ? {} : { fix }) });
    return false;
  }

  private async action(): Promise<Action> {
    const { pendingAction } = await this.on.read();
    if (pendingAction === null) throw new DevCliError('INTERNAL', 'The rehearsal has no pending action.');
    return pendingAction;
  }
}
