import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from '../../support/agent.mjs';
import { type Document, journalOf, runDir, stateOf, writeProjectFile } from '../../support/cli.js';
import type { Project } from '../../support/project.mjs';
import type { Random } from '../../support/seeded.js';
import { CHOICE_BLOCK, DATA_BLOCK, END_BLOCK, PLAIN_BLOCK, tiny } from '../../support/tiny.js';
import { type Evidence, faultsOf, type Line } from './killed-history.js';
import { type Ended, kill, replays, runnersOf, startCall, trusted, type Victim } from './victims.js';

/** A command that records in a file for which action it ran. It finds the action at once, while the runner lives. */
const EFFECT = `runner=$(ps -o args= -p $PPID)
case $runner in */runner.cjs*)
  action=$(grep -l '"pgid":'$$, .dev/specs/*/actions/*/started.json | sed -n 's|.*/actions/\\(a[0-9]*\\)/started.json$|\\1|p')
esac
sleep 0.01
echo "\${action:-orphan}" >>effects.txt
sleep 0.01
`;

const external = (id: string): string => `
  - id: ${id}
    type: cli
    command: sh effect.sh ${id}
    onError: { retry: { max: 100 } }
`;

const NAME = 'run-1';
/**
 * Seconds that a call waits for a command. Short, because this call waits in vain for a runner that was killed very
 * early; only the next call notices that.
 */
const ANSWER_WITHIN = { DEV_CLI_ANSWER_WITHIN: '0.3' };

type Target = 'cli' | 'runner' | 'both';

/** How many kills there were, by target and time. */
export interface Tally {
  cli: number;
  runner: number;
  both: number;
  /** Kills of dev-cli by tenths of a call's usual duration; the last element counts later kills. */
  tenths: number[];
  /** Kills of dev-cli after it had answered. */
  answered: number;
  runs: number;
}

/** Carries out run after run under one name, like an agent that is killed again and again and starts over. */
export class Killer {
  readonly tally: Tally = { cli: 0, runner: 0, both: 0, tenths: Array(11).fill(0), answered: 0, runs: 0 };
  readonly faults: string[] = [];
  private readonly acknowledged: string[] = [];
  private appended: string[] = [];
  private tried: string[] = [];
  private serial = 0;
  /** Usual duration of an undisturbed call of each kind, in milliseconds. */
  private readonly usual = new Map<string, number>();
  private journal = '';

  constructor(
    private readonly project: Project,
    private readonly random: Random,
    private readonly env: NodeJS.ProcessEnv = {},
  ) {
    writeProjectFile(project, 'effect.sh', EFFECT);
    const blocks = [PLAIN_BLOCK, DATA_BLOCK, external('build'), CHOICE_BLOCK, external('ship'), END_BLOCK];
    trusted(project, tiny(project, 'killed', blocks));
  }

  get kills(): number {
    return this.tally.cli + this.tally.runner + this.tally.both;
  }

  /** Carries out whole runs until there were enough kills or a problem was found. */
  async work(kills: number): Promise<void> {
    while (this.kills < kills && this.faults.length === 0) {
      await this.oneRun();
      this.tally.runs += 1;
    }
  }

  private async oneRun(): Promise<void> {
    this.appended = [];
    this.tried = [];
    const runs = this.tally.runs + 1;
    while (this.started() < runs && this.faults.length === 0)
      await this.attempt(['init', NAME, '--recipe', 'killed', '--goal', 'Live'], 'init');
    for (let steps = 0; this.faults.length === 0; steps += 1) {
      const action = await this.pending();
      if (action === null) continue;
      if (this.acknowledged.includes(action.actionId)) this.faults.push(`${action.actionId} is pending again`);
      if (steps > 500) this.faults.push('the run does not come to its end');
      if (action.done === true) break;
      await this.act(action);
    }
    if (this.faults.length === 0) this.faults.push(...faultsOf(this.evidence()));
  }

  /** Returns how many runs of the name are in the journal. */
  private started(): number {
    return existsSync(join(runDir(this.project, NAME), 'events.jsonl'))
      ? this.entries().filter(({ type }) => type === 'init').length
      : 0;
  }

  private async pending(): Promise<Action | null> {
    const answer = await this.attempt(['next', NAME], 'next');
    return answer === null ? null : (answer as unknown as Action);
  }

  private async act(action: Action): Promise<void> {
    if (action.action === 'running') return;
    if (action.block === 'limits') await this.append();
    if (action.data !== undefined) {
      writeProjectFile(this.project, action.data.write, '## boundaries\n\n- the public routes stay open\n');
    }
    const ack = action.ack ?? action.choices?.[this.random.below(2)]?.ack ?? '';
    const answer = await this.attempt(ack.split(' ').slice(1), `complete ${action.block}`);
    if (answer?.ok === true) this.acknowledged.push(action.actionId);
  }

  private async append(): Promise<void> {
    for (let n = this.random.below(3); n > 0; n -= 1) {
      this.serial += 1;
      const line = `- line ${this.serial}`;
      this.tried.push(line);
      const data = JSON.stringify([line.slice(2)]);
      const args = ['draft', 'update', NAME, '--section', 'findings', '--append', '--data', data];
      if ((await this.attempt(args, 'draft update'))?.ok === true) this.appended.push(line);
    }
  }

  /** Makes one call, usually with a kill; returns its answer if it was printed. */
  private async attempt(args: string[], kind: string): Promise<Document | null> {
    const victim = startCall(this.project, args, { ...ANSWER_WITHIN, ...this.env });
    const target = this.random.chance(0.85) ? this.target(kind) : null;
    const killed = target === null ? false : await this.shoot(victim, kind, target);
    const ended = await victim.ended;
    if (!killed) this.usual.set(kind, 0.7 * (this.usual.get(kind) ?? ended.milliseconds) + 0.3 * ended.milliseconds);
    if (!killed || target === 'runner') this.judge(args, ended);
    this.keepsJournal(args);
    return ended.json;
  }

  private target(kind: string): Target {
    const starts = kind === 'complete limits' || kind === 'complete colour' || kind === 'next';
    return starts ? this.random.pick(['cli', 'runner', 'both']) : 'cli';
  }

  /** Kills the target; returns whether anything was killed. */
  private async shoot(victim: Victim, kind: string, target: Target): Promise<boolean> {
    const from = performance.now();
    await (target === 'cli' ? this.instant(victim, kind) : this.runnerInstant(victim));
    const at = performance.now() - from;
    const runners = target === 'cli' ? [] : runnersOf(this.project).filter(kill);
    if (target !== 'cli' && runners.length === 0) return false;
    if (target === 'runner') {
      this.tally.runner += 1;
      return true;
    }
    const killed = victim.child.exitCode === null && kill(victim.pid) && (await victim.ended).signal === 'SIGKILL';
    if (target === 'both') this.tally[killed ? 'both' : 'runner'] += 1;
    else if (killed) this.tally.cli += 1;
    if (killed && target === 'cli') {
      const tenth = Math.floor((10 * at) / (this.usual.get(kind) ?? 100));
      this.tally.tenths[Math.min(10, tenth)] = (this.tally.tenths[Math.min(10, tenth)] ?? 0) + 1;
      if (victim.hasSpoken()) this.tally.answered += 1;
    }
    return killed || target === 'both';
  }

  /** Waits for a random instant of a call: one in eight very early, one in five as it answers. */
  private async instant(victim: Victim, kind: string): Promise<void> {
    const draw = this.random.unit();
    const usual = this.usual.get(kind) ?? 100;
    if (draw < 0.2) {
      await victim.spoken;
      return;
    }
    const whole = this.random.unit() * (draw < 0.325 ? 15 : 1.05 * usual);
    await Promise.race([sleep(whole), victim.ended]);
  }

  /** Waits for a random instant of a runner's life, counted from when it appears among the processes. */
  private async runnerInstant(victim: Victim): Promise<void> {
    let over = false;
    void victim.ended.then(() => {
      over = true;
    });
    while (!over && runnersOf(this.project).length === 0) await sleep(3);
    const [from, life] = [performance.now(), this.usual.get('runner') ?? 150];
    for (const until = from + this.random.unit() * life; performance.now() < until; await sleep(3)) {
      if (runnersOf(this.project).length > 0) continue;
      // The runner ended before the chosen instant, so its life is shorter than estimated.
      this.usual.set('runner', performance.now() - from);
      return;
    }
    this.usual.set('runner', life * 1.02);
  }

  /** Checks a call that was not killed: it must be accepted. */
  private judge(args: string[], { code, signal, stdout }: Ended): void {
    if (code !== 0) this.faults.push(`dev-cli ${args.join(' ')}: exit ${code ?? signal}, ${stdout.slice(0, 500)}`);
  }

  /** Checks that the call removed nothing from the journal. */
  private keepsJournal(args: string[]): void {
    const path = join(runDir(this.project, NAME), 'events.jsonl');
    const now = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (!now.startsWith(this.journal)) this.faults.push(`lost: the journal was cut by dev-cli ${args.join(' ')}`);
    this.journal = now.slice(0, now.lastIndexOf('\n') + 1);
  }

  private entries(): Line[] {
    const path = join(runDir(this.project, NAME), 'events.jsonl');
    const text = readFileSync(path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return whole.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
  }

  private evidence(): Evidence {
    const effects = join(this.project.root, 'effects.txt');
    return {
      entries: journalOf(this.project, NAME) as unknown as Line[],
      acknowledged: this.acknowledged,
      appended: this.appended,
      tried: this.tried,
      draft: readFileSync(join(runDir(this.project, NAME), 'DRAFT.md'), 'utf8'),
      effects: existsSync(effects) ? readFileSync(effects, 'utf8').trimEnd().split('\n') : [],
      replays: replays(this.project, NAME),
      outcome: stateOf(this.project, NAME).outcome,
    };
  }
}
