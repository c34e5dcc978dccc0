import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { toFleetError } from './database.js';

/**
 * The engine that carries attempts: DBOS Transact. It repeats what a worker began and did not end, and knows who owns an execution; it
 * holds no truth (fleet.md, Three truths). One engine a process: so has DBOS it.
 */

/** What an execution carries: one attempt under one claim. */
export interface CarriedAttempt {
  project: string;
  /** As `GOAL#n`. */
  attempt: string;
  claim: string;
}

export interface Engine {
  /**
   * Carries an attempt until its leg is over, it is cancelled or the engine stops. What the engine has recovered already is waited for,
   * not begun again.
   * @throws what the last repetition of the leg threw, or what is final; DevCliError `FLEET_VERSION` where the engine's schema is gone,
   * `FLEET_UNAVAILABLE` for anything else that ails it
   */
  start(carried: CarriedAttempt): Promise<void>;
  /** Ends executions, whoever has them: after the leg that runs there, and at once where none does. */
  cancel(claims: readonly CarriedAttempt[]): Promise<void>;
  /** Executions that are not over stay open: this worker's next engine goes on with them. */
  stop(): Promise<void>;
}

export interface EngineOptions {
  url: string;
  /** Whose executions are recovered at the launch; one process at a time may have it. */
  worker: string;
  /** Of the steps: others' executions are let be (fleet.md, Upgrades). */
  version: number;
  /** Is told, in one line each, what the engine warns of. */
  log(line: string): void;
  /** One leg of an attempt; it may be repeated, also in another process, and has to find itself what is done already. */
  leg(carried: CarriedAttempt): Promise<'again' | 'over'>;
  /** Whether a leg that threw this is over, and not repeated. */
  isFinal(error: unknown): boolean;
  /** Seconds until a leg that threw is repeated; doubled each time. */
  backoff?: number;
}

const NAME = '@dbos-inc/dbos-sdk';
const MAJOR = '5';
const ATTEMPTS = 8;
/** Milliseconds; by its default of a minute, a worker that is stopped holds what others wait for. */
const IDLE = 5_000;
/** Milliseconds for which the engine's rows of what is over stay. */
const KEPT = 7 * 24 * 3_600_000;
/** What is as it should be: an execution was recovered before it was started again, workers of two versions run side by side. */
const USUAL = /already exists in queue|is not the latest version/;

/**
 * Makes or upgrades the engine's schema. Of two that do it at once one dies: the caller holds a lock.
 * @throws DevCliError `FLEET_UNAVAILABLE`
 */
export async function migrateEngine({
  url,
  version,
  log,
}: Pick<EngineOptions, 'url' | 'version' | 'log'>): Promise<void> {
  const sdk = loadSdk();
  await launch(sdk, { url, version, log, worker: 'fleet-init' }, true);
  await sdk.DBOS.shutdown({ deregister: true });
}

/** @throws DevCliError `FLEET_UNAVAILABLE`, `FLEET_VERSION` */
export async function launchEngine(options: EngineOptions): Promise<Engine> {
  const { leg, isFinal, backoff = 1 } = options;
  const sdk = loadSdk();
  const { DBOS } = sdk;
  // Not left to the engine, which would record them as its own errors, and tell them.
  const finals = new Map<string, unknown>();
  let isStopped = false;
  const identify = ({ project, attempt, claim }: CarriedAttempt): string =>
    `${project}:${attempt}:${claim}@${options.version}`;
  const retry = { name: 'leg', retriesAllowed: true, maxAttempts: ATTEMPTS, intervalSeconds: backoff, backoffRate: 2 };
  const carry = DBOS.registerWorkflow(
    async (carried: CarriedAttempt): Promise<void> => {
      const run = (): Promise<'again' | 'over'> =>
        leg(carried).catch((error: unknown) => {
          if (!isFinal(error)) throw error;
          finals.set(identify(carried), error);
          return 'over';
        });
      while ((await DBOS.runStep(run, retry)) === 'again');
    },
    { name: 'carry' },
  );
  await launch(sdk, options, false);
  await forgetOld(DBOS).catch((error: unknown) => Promise.reject(explain(error)));
  return {
    async start(carried) {
      const workflowID = identify(carried);
      try {
        await (await DBOS.startWorkflow(carry, { workflowID })(carried)).getResult();
      } catch (error) {
        const { DBOSWorkflowCancelledError, DBOSAwaitedWorkflowCancelledError, DBOSMaxStepRetriesError } = sdk.Error;
        if (
          isStopped ||
          error instanceof DBOSWorkflowCancelledError ||
          error instanceof DBOSAwaitedWorkflowCancelledError
        )
          return;
        throw error instanceof DBOSMaxStepRetriesError ? error.errors.at(-1) : explain(error);
      }
      const final = finals.get(workflowID);
      finals.delete(workflowID);
      if (final !== undefined) throw final;
    },
    async cancel(claims) {
      // The prefix: who is lost may have been of another version.
      const prefixes = claims.map(({ project, attempt, claim }) => `${project}:${attempt}:${claim}@`);
      if (prefixes.length === 0) return;
      try {
        const open = await DBOS.listWorkflows({
          workflow_id_prefix: prefixes,
          status: ['PENDING', 'ENQUEUED'],
          loadInput: false,
        });
        if (open.length > 0) await DBOS.cancelWorkflows(open.map(({ workflowID }) => workflowID));
      } catch (error) {
        throw explain(error);
      }
    },
    async stop() {
      isStopped = true;
      await DBOS.shutdown({ deregister: true });
    },
  };
}

type Sdk = typeof import('@dbos-inc/dbos-sdk');

/** @throws DevCliError `FLEET_UNAVAILABLE` */
function loadSdk(): Sdk {
  let found: string;
  try {
    const sdk: Sdk = require('@dbos-inc/dbos-sdk');
    const {
      globalParams,
    }: typeof import('@dbos-inc/dbos-sdk/internal/utils') = require('@dbos-inc/dbos-sdk/internal/utils');
    if (globalParams.dbosVersion.split('.')[0] === MAJOR) return sdk;
    found = `it is ${globalParams.dbosVersion}, and ${MAJOR} is needed`;
  } catch {
    found = 'it is not installed';
  }
  throw new DevCliError('FLEET_UNAVAILABLE', `The package ${NAME} cannot be used: ${found}.`, {
    details: [{ target: NAME, problem: found }],
    fix: `Install it: npm i -g ${NAME}@${MAJOR} pg@8`,
  });
}

async function launch(
  { DBOS, Error: { DBOSInitializationError } }: Sdk,
  { url, worker, version, log }: Pick<EngineOptions, 'url' | 'worker' | 'version' | 'log'>,
  runMigrations: boolean,
): Promise<void> {
  const warn = createWarner(log);
  DBOS.setConfig({
    ...{
      name: 'dev-cli',
      systemDatabaseUrl: limitIdling(url),
      executorID: worker,
      applicationVersion: String(version),
      runMigrations,
    },
    ...{ systemDatabasePoolSize: 3, enableOTLP: false },
    // Nothing is enqueued, sent or scheduled.
    ...{
      listenQueues: [],
      useListenNotify: false,
      maxConcurrentQueueDispatches: 1,
      schedulerPollingIntervalMs: 3_600_000,
    },
    logger: { debug: () => {}, info: () => {}, warn, error: warn },
  });
  try {
    await DBOS.launch();
  } catch (error) {
    await DBOS.shutdown({ deregister: true });
    // Where the database was reached, the error has no other within: its schema is the reason.
    if (isSchemaGone(error) || (error instanceof DBOSInitializationError && error.error === undefined))
      throw refuseSchema(error);
    // Never in the engine's own words: they have the URL.
    throw toFleetError(error instanceof DBOSInitializationError ? error.error : error);
  }
}

/** Said when a connection is made: the engine's own way is a statement that overlaps the first one, which pg warns of. */
function limitIdling(url: string): string {
  const limited = new URL(url);
  const options = `${limited.searchParams.get('options') ?? ''} -c idle_in_transaction_session_timeout=${IDLE}`;
  limited.searchParams.set('options', options.trim());
  return limited.href;
}

/** In an outage every loop of the engine says the same each second: a line is told once a minute. */
function createWarner(log: (line: string) => void): (entry: unknown) => void {
  const told = new Map<string, number>();
  return (entry) => {
    const line = toBoundedLine(String(entry).split('\n', 1)[0] ?? '', 300);
    const kind = line.replaceAll(/\d+/g, '');
    if (USUAL.test(line) || performance.now() - (told.get(kind) ?? Number.NEGATIVE_INFINITY) < 60_000) return;
    told.set(kind, performance.now());
    log(line);
  };
}

/** The engine keeps all that it ever carried, and nobody asks it. */
async function forgetOld(DBOS: Sdk['DBOS']): Promise<void> {
  const old = await DBOS.listWorkflows({
    ...{
      completedBefore: new Date(Date.now() - KEPT).toISOString(),
      limit: 1_000,
      loadInput: false,
      loadOutput: false,
    },
  });
  if (old.length > 0) await DBOS.deleteWorkflows(old.map(({ workflowID }) => workflowID));
}

/** Undefined table, or schema. */
function isSchemaGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isGone = 'code' in error && (error.code === '42P01' || error.code === '3F000');
  return isGone || isSchemaGone(error.cause) || ('error' in error && isSchemaGone(error.error));
}

const refuseSchema = (cause: unknown): DevCliError =>
  new DevCliError('FLEET_VERSION', 'The schema dbos, which the engine of the fleet needs, is missing or too old.', {
    fix: [{ command: 'fleet init', input: {} }],
    cause,
  });

/** What went wrong in the engine itself, which says nothing of what it carries. */
function explain(error: unknown): DevCliError {
  const known = isSchemaGone(error) ? refuseSchema(error) : toFleetError(error);
  if (known instanceof DevCliError) return known;
  const problem = toBoundedLine(error instanceof Error ? error.message : String(error), 300);
  return new DevCliError('FLEET_UNAVAILABLE', `The engine of the fleet failed: ${problem}`, { cause: error });
}
