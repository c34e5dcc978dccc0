import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { toFleetError } from './database.js';

/**
 * The engine that carries attempts: DBOS Transact. It repeats unfinished work and records which worker owns an
 * execution; the truth about an attempt lies in the stream (fleet.md, Three truths). DBOS allows one engine per
 * process.
 */

/** An execution's subject: one attempt under one claim. */
export interface CarriedAttempt {
  project: string;
  /** In the form `GOAL#n`. */
  attempt: string;
  claim: string;
}

export interface Engine {
  /**
   * Carries an attempt leg by leg (see `EngineOptions.leg`) until a leg returns `over`, the attempt is cancelled, or
   * the engine stops. If the engine has already recovered the execution, waits for that instead of starting another.
   * @throws the error of a leg that is final, or still there after the last retry; DevCliError `FLEET_VERSION` if the
   * engine's schema is missing, `FLEET_UNAVAILABLE` for any other failure of the engine
   */
  start(carried: CarriedAttempt): Promise<void>;
  /** Cancels executions of any worker: a running one ends after its current leg, any other at once. */
  cancel(claims: readonly CarriedAttempt[]): Promise<void>;
  /** Stops the engine. Unfinished executions stay open, and this worker's next engine continues them. */
  stop(): Promise<void>;
}

export interface EngineOptions {
  url: string;
  /** The worker whose executions are recovered at launch; only one process at a time may use this name. */
  worker: string;
  /** The version of the steps; executions of other versions are left alone (fleet.md, Upgrades). */
  version: number;
  /** Receives each warning of the engine as one line. */
  log(line: string): void;
  /**
   * Runs one leg, which is one step of an attempt. A leg may be repeated, even in another process, so it must detect
   * what is already done.
   */
  leg(carried: CarriedAttempt): Promise<'again' | 'over'>;
  /** Whether this error ends a leg, so that it is not retried. */
  isFinal(error: unknown): boolean;
  /** Seconds until a failed leg is retried; doubled with each retry. */
  backoff?: number;
}

const NAME = '@dbos-inc/dbos-sdk';
const MAJOR = '5';
const ATTEMPTS = 8;
/** Milliseconds. At the engine's default of a minute, a stopped worker would block others on the locks that it holds. */
const IDLE = 5_000;
/** Milliseconds for which the engine keeps rows of finished executions. */
const KEPT = 7 * 24 * 3_600_000;
/**
 * Warnings of normal events: an execution was recovered before it was started again; workers of two versions run side
 * by side.
 */
const USUAL = /already exists in queue|is not the latest version/;

/**
 * Creates or upgrades the engine's schema. Of two concurrent migrations one would fail, so the caller must hold a lock.
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
  // Final errors, by execution. They are kept from the engine, which would record and report them as its own.
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
      // By prefix, without the version: the lost worker may have had another version.
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
    // Stops the engine from polling for queues, messages and schedules: dev-cli uses none of them.
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
    // The error wraps another one if the database could not be reached. Otherwise the schema is the reason.
    if (isSchemaGone(error) || (error instanceof DBOSInitializationError && error.error === undefined))
      throw refuseSchema(error);
    // The engine's own message is never shown: it contains the URL.
    throw toFleetError(error instanceof DBOSInitializationError ? error.error : error);
  }
}

/**
 * Sets the idle timeout in the connection options. The engine sets it by a statement that overlaps its first one, and
 * pg warns of that.
 */
function limitIdling(url: string): string {
  const limited = new URL(url);
  const options = `${limited.searchParams.get('options') ?? ''} -c idle_in_transaction_session_timeout=${IDLE}`;
  limited.searchParams.set('options', options.trim());
  return limited.href;
}

/**
 * Returns a logger that drops repetitions: in an outage every loop of the engine repeats its warning each second, so
 * each warning is logged once a minute.
 */
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

/** Deletes old finished executions: the engine keeps all of them, and dev-cli never reads them. */
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

/** Whether the database reported an undefined table or schema. */
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

/** Converts a failure of the engine itself, as opposed to one of the attempt that it carries. */
function explain(error: unknown): DevCliError {
  const known = isSchemaGone(error) ? refuseSchema(error) : toFleetError(error);
  if (known instanceof DevCliError) return known;
  const problem = toBoundedLine(error instanceof Error ? error.message : String(error), 300);
  return new DevCliError('FLEET_UNAVAILABLE', `The engine of the fleet failed: ${problem}`, { cause: error });
}
