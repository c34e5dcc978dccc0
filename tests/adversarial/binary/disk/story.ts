import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Action } from '../../../support/agent.mjs';
import { StandIn } from '../../../support/agent.mjs';
import { RUN } from '../../../support/executing.js';
import { type Image, readImage, restoreImage } from '../../../support/image.js';
import { inShell, type Printed, runLine, runLinesBy } from '../../../support/line.mjs';
import type { Project } from '../../../support/project.mjs';
import type { Random } from '../../../support/seeded.js';
import { SMALL_CREW, smallPlan } from '../../../support/small.mjs';
import { Disk, type DiskCall, isLeftover, type Mood } from './disk.js';

// A whole run on a disk that forgets unsynced data: the power is cut after each answer and in the middle of commands,
// and the agent continues with the files that remain.

const HOOK = join(dirname(fileURLToPath(import.meta.url)), '../hooks/disk.cjs');

/** A defect planted on purpose, to show that the test detects it. */
export type Planted = 'the journal is not synced' | 'the boot is not looked at';

export interface StoryOptions {
  random: Random;
  /** After each answer, the power is cut once with each of these moods. */
  moods: readonly Mood[];
  /** How many cuts to make within each command; `all`: after each of its calls. */
  within: number | 'all';
  planted?: Planted;
}

/** The result of a story. */
export interface Told {
  problems: string[];
  cuts: { answered: number; within: number };
}

/** Drives runs on a disk that forgets unsynced data. */
export class Forgetful {
  readonly told: Told = { problems: [], cuts: { answered: 0, within: 0 } };
  private disk = Disk.empty();
  private boot = 1;

  constructor(
    readonly project: Project,
    private readonly options: StoryOptions,
  ) {
    runLinesBy((command, around) => {
      const before = this.state();
      const earlier = this.image();
      const { printed, calls } = this.call(command, around.env ?? {}, this.boot, around);
      if (calls.length > 0) this.cutWithin(command, { before, earlier }, calls);
      for (const call of calls) this.disk.take(call);
      return printed;
    });
  }

  /** Creates an agent whose machine loses power before each action. */
  agent(): StandIn {
    const before = (action: Action): void => {
      for (const mood of this.options.moods) this.cutAnswered(action, mood);
      // The agent continues with the files that the last cut left.
      const image = this.cut(this.state(), this.options.moods.at(-1) ?? 'anything');
      this.boot += 1;
      restoreImage(this.project.root, image);
      // The first call after the cut recovers the run; as with every call, the power is also cut during its writes.
      runLine(`dev-cli next ${RUN}`, { cwd: this.project.root, env: this.project.env });
    };
    return new StandIn({ project: this.project, name: RUN, crew: SMALL_CREW, scenario: { plan: smallPlan(), before } });
  }

  /** Returns the disk as it is now, including files that processes without the hook have written. */
  private state(): Disk {
    this.disk.reconcile(this.image());
    return this.disk.copy();
  }

  private image(): Image {
    return readImage(this.project.root);
  }

  private cut(disk: Disk, mood: Mood): Map<string, Buffer> {
    return disk.cut(this.options.random, mood);
  }

  /** Cuts the power after an answer: the next call must give the same answer, and every document must still exist. */
  private cutAnswered(action: Action, mood: Mood): void {
    const whole = this.image();
    this.told.cuts.answered += 1;
    this.onWhatIsLeft(
      whole,
      this.cut(this.state(), mood),
      `after the answer ${action.actionId} ${action.block}, ${mood}`,
      () => {
        const next = this.ask(`dev-cli next ${RUN}`);
        return [...compareAnswers(action, JSON.parse(next.stdout)), ...this.compare(whole, this.image())];
      },
    );
  }

  /**
   * Cuts the power in the middle of a command. Afterwards either the whole command has happened, with every document,
   * or only some or none of its commits; `replay --check` shows that everything that the journal names exists.
   */
  private cutWithin(
    command: string,
    { before, earlier }: { before: Disk; earlier: Image },
    calls: readonly DiskCall[],
  ): void {
    const { within, random } = this.options;
    const all = calls.map((_, index) => index + 1);
    const chosen = within === 'all' ? all : Array.from({ length: within }, () => 1 + random.below(calls.length));
    const whole = this.image();
    for (const length of chosen) {
      const disk = before.copy();
      for (const call of calls.slice(0, length)) disk.take(call);
      this.told.cuts.within += 1;
      const place = `${command.slice(0, 60)}, after call ${length} of ${calls.length}`;
      this.onWhatIsLeft(whole, this.cut(disk, 'anything'), place, () => {
        const next = this.ask(`dev-cli next ${RUN}`);
        const document = JSON.parse(next.stdout) as { error?: { code: string } };
        if (document.error?.code === 'NO_SUCH_RUN') return command.includes(' init ') ? [] : [next.stdout];
        if (next.exit !== 0) return [next.stdout];
        const found = this.image();
        if (startsWith(found, whole)) return this.compare(whole, found);
        return startsWith(found, earlier) ? [] : ['the journal lost what it held'];
      });
    }
  }

  /** Checks the state after a cut, then restores the run. */
  private onWhatIsLeft(whole: Image, left: Image, place: string, look: () => string[]): void {
    restoreImage(this.project.root, left);
    try {
      const problems = [...look(), ...this.replayed()];
      this.told.problems.push(...problems.map((problem) => `${place}: ${problem}`));
    } catch (error) {
      this.told.problems.push(`${place}: ${error instanceof Error ? error.message : String(error)}`);
    }
    restoreImage(this.project.root, whole);
  }

  private replayed(): string[] {
    if (!existsSync(join(this.project.root, '.dev/specs', RUN, 'events.jsonl'))) return [];
    const { stdout } = this.ask(`dev-cli replay ${RUN} --check --json`);
    const { ok, differences, error } = JSON.parse(stdout) as {
      ok: boolean;
      differences?: object[];
      error?: { code: string };
    };
    return ok || error?.code === 'NO_SUCH_RUN' ? [] : [`replay: ${JSON.stringify(differences ?? error)}`];
  }

  /** Checks that every document is unchanged, and that the journal has only grown. */
  private compare(whole: Image, found: Image): string[] {
    return [...whole].flatMap(([path, content]) => {
      if (isLeftover(path) || /\/state\.json(\.aside-\d+)?$/.test(path)) return [];
      const now = found.get(path);
      if (path.endsWith('/events.jsonl') && now?.subarray(0, content.length).equals(content)) return [];
      if (now === undefined) return [`${path} is gone`];
      return now.equals(content) ? [] : [`${path} is not as it was: ${now.length} of ${content.length} bytes`];
    });
  }

  /** Runs a command as if the machine had been restarted; the disk does not record its calls. */
  private ask(command: string): Printed {
    const boot = this.options.planted === 'the boot is not looked at' ? this.boot : this.boot + 1000;
    return this.call(command, this.project.env, boot, { cwd: this.project.root, env: this.project.env }).printed;
  }

  private call(
    command: string,
    given: NodeJS.ProcessEnv,
    boot: number,
    around: { cwd: string; env: NodeJS.ProcessEnv; typed?: readonly string[] },
  ): { printed: Printed; calls: DiskCall[] } {
    const trace = join(this.project.home, 'disk');
    const below = join(this.project.root, '.dev');
    rmSync(trace, { force: true });
    const plan = JSON.stringify({ below, trace, boot: `boot-${boot}` });
    const env = { ...given, NODE_OPTIONS: `--require=${HOOK}`, DEV_CLI_TEST_DISK: plan };
    const printed = inShell(command, { ...around, env });
    const lines = existsSync(trace) ? readFileSync(trace, 'utf8').split('\n').slice(0, -1) : [];
    const short = (path: string): string => relative(below, path) || '.';
    const calls = lines.map((line): DiskCall => {
      const { path, to, made, data, ...call } = JSON.parse(line);
      const more = {
        ...(to && { to: short(to) }),
        ...(made && { made: short(made) }),
        ...(data && { data: Buffer.from(data, 'base64') }),
      };
      return { ...call, path: short(path), ...more };
    });
    const isSynced = ({ op, path }: DiskCall): boolean =>
      this.options.planted !== 'the journal is not synced' || op !== 'sync' || !path.endsWith('/events.jsonl');
    return { printed, calls: calls.filter(isSynced) };
  }
}

function compareAnswers(given: Action, next: Record<string, unknown>): string[] {
  const members = { ...given } as Record<string, unknown>;
  const names = new Set([...Object.keys(members), ...Object.keys(next)]);
  return [...names].flatMap((name) => {
    const [one, other] = [members[name], next[name]].map((value) => JSON.stringify(value) ?? 'nothing');
    return one === other ? [] : [`next gives ${name} as ${other}, and not as ${one}`];
  });
}

function startsWith(image: Image, other: Image): boolean {
  const journal = (of: Image): Buffer => of.get(`specs/${RUN}/events.jsonl`) ?? Buffer.alloc(0);
  return journal(image).subarray(0, journal(other).length).equals(journal(other));
}
