import { type CommitSetting, readCommitSetting } from '../work/commit.js';
import { readWorkTree, type WorkTreeReading } from '../work/git.js';
import { findLastChange } from '../work/last-change.js';

/**
 * What a call knows of the repositories that its jobs work in. A work tree is read once for each moment that matters: what
 * one job saw last is what the next one begins with, unless something ran, or time was spent waiting, in between.
 */
export class KnownRepositories {
  private readonly readings = new Map<string, WorkTreeReading | null>();
  private readonly lastChanges = new Map<string, number>();
  private readonly settings = new Map<string, Promise<CommitSetting | null>>();

  constructor(private readonly signal: AbortSignal) {}

  /**
   * Reads a work tree, unless it is known.
   * @param workTree absolute path
   * @returns null if there is no git or no repository
   * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
   */
  async readTree(workTree: string): Promise<WorkTreeReading | null> {
    const known = this.readings.get(workTree);
    if (known !== undefined) return known;
    const reading = await readWorkTree(workTree, { signal: this.signal });
    this.readings.set(workTree, reading);
    return reading;
  }

  /** The work tree as it is known; undefined if it has to be read. */
  getTree(workTree: string): WorkTreeReading | null | undefined {
    return this.readings.get(workTree);
  }

  /**
   * Whether anything in the repository has changed since a moment, also what git ignores; `.dev/` does not count.
   * @param moment milliseconds since the epoch
   * @returns true also where that cannot be told
   */
  hasChangedSince(workTree: string, moment: number): boolean {
    const reading = this.readings.get(workTree);
    if (reading == null) return true;
    const { prefix } = reading;
    const top = workTree + '/..'.repeat(prefix.split('/').length - 1);
    const last = this.lastChanges.get(workTree) ?? findLastChange(top, `${prefix}.dev`);
    this.lastChanges.set(workTree, last);
    return last > moment;
  }

  /** To be called when a process of a job has run, or another call may have been at work. */
  forgetTrees(): void {
    this.lastChanges.clear();
    this.readings.clear();
  }

  /** Reads what holds for all commits in a work tree. @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED` */
  readSetting(workTree: string): Promise<CommitSetting | null> {
    const known = this.settings.get(workTree) ?? readCommitSetting(workTree, { signal: this.signal });
    this.settings.set(workTree, known);
    return known;
  }
}
