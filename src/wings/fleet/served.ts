import { DevCliError } from '../../base/errors.js';
import type { Beat } from './beat.js';
import type { WorkerProject } from './project.js';

/**
 * A project of a machine’s fleet.yaml. If it cannot be opened or searched for attempts, the worker goes on serving the
 * others (fleet.md, Commands).
 */
export interface ServedProject {
  name: string;
  /** Begins to open the project unless it is open, and waits for the result. */
  opened(): Promise<void>;
  /**
   * Runs `work` on the project, and reports each new problem once.
   * @returns null if that failed, or the project is not open yet
   * @throws what `work` throws if that is an internal error of dev-cli
   */
  use<A>(work: (project: WorkerProject) => Promise<A>): Promise<A | null>;
  /** The problem of the last try; null if it succeeded. */
  problem(): DevCliError | null;
}

/** Milliseconds until opening a project is tried again after a failure. */
const AGAIN = 10_000;

/** Creates a served project. @param open may take as long as git does */
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
    // The note is stored in the database, so a failure of the database itself is not noted.
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
