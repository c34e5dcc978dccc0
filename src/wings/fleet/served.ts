import { DevCliError } from '../../base/errors.js';
import type { Beat } from './beat.js';
import type { WorkerProject } from './project.js';

/** A project of a machine’s fleet.yaml: one that cannot be had, or looked into, keeps the worker from no other (fleet.md, Commands). */
export interface ServedProject {
  name: string;
  /** Waits until it was tried to open it, where that is under way. */
  opened(): Promise<void>;
  /**
   * Does something with the project, and tells once what keeps it from that.
   * @returns null where it could not be done, or the project is not open yet
   * @throws what `work` throws, where that is a fault of dev-cli itself
   */
  use<A>(work: (project: WorkerProject) => Promise<A>): Promise<A | null>;
  /** Why it could not be done the last time. */
  problem(): DevCliError | null;
}

/** How long after a failure it is tried again to open a project, in milliseconds. */
const AGAIN = 10_000;

/** @param open may take as long as git does */
export function serveProject(
  name: string,
  open: () => Promise<WorkerProject>,
  { beat, worker, tell }: { beat: Pick<Beat, 'note'>; worker: string; tell: (line: string) => void },
): ServedProject {
  let project: WorkerProject | null = null;
  let problem: DevCliError | null = null;
  let fault: unknown = null;
  let next = 0;
  const fail = (error: unknown): void => {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
    if (problem?.message !== error.message) tell(`${name}: ${error.message}`);
    // That the database is away is not for those who read it there.
    if (error.code !== 'FLEET_UNAVAILABLE') beat.note(name, { '': `not on ${worker}: ${error.message}` });
    problem = error;
    next = performance.now() + AGAIN;
  };
  const tryToOpen = async (): Promise<void> => {
    try {
      project = await open();
      problem = null;
    } catch (error) {
      fail(error);
    }
  };
  let opening: Promise<void> | null = null;
  const begin = (): void => {
    if (project !== null || opening !== null || performance.now() < next) return;
    opening = tryToOpen()
      .catch((error: unknown) => {
        fault = error;
      })
      .finally(() => {
        opening = null;
      });
  };
  return {
    name,
    async opened() {
      begin();
      await opening;
    },
    async use(work) {
      begin();
      if (fault !== null) throw fault;
      if (project === null) return null;
      try {
        const answer = await work(project);
        problem = null;
        return answer;
      } catch (error) {
        fail(error);
        return null;
      }
    },
    problem: () => problem,
  };
}
