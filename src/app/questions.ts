import type { Answer } from '../base/answer.js';
import { readSession } from '../project/pointers.js';
import { listCandidates } from '../protocol/candidates.js';
import { showRunList } from '../protocol/questions/list.js';
import { showManifest } from '../protocol/questions/manifest.js';
import { nextIfIdle } from '../protocol/questions/next.js';
import { showStatus } from '../protocol/questions/status.js';
import type { InputOf } from '../registry/catalogue.js';
import type { Candidate } from '../registry/spec.js';
import { createReadContext, findWatchedSession } from './context.js';
import type { CallEnvironment } from './environment.js';

/** The commands that only read, and that agents, hooks and people call most. */
export type QuestionName = 'next' | 'manifest' | 'status' | 'list';

/**
 * Answers a question, which is a command that only reads. Loads neither code that changes a run nor code that is slow
 * to load (house.md, Speed).
 * @returns null when something must be finished or launched first, which only the whole program can do
 * @throws any error, also when a module is needed that this program leaves out; nothing has been changed yet, so the
 * whole program can still answer
 */
export type Question<Name extends QuestionName> = (
  input: InputOf<Name>,
  environment: CallEnvironment,
) => Promise<Answer | null>;

/**
 * Answers `next`, unless something must be finished first, or the session may need a warning that its hooks do not run.
 */
export const answerNext: Question<'next'> = async ({ name, ...input }, environment) => {
  const context = createReadContext(environment);
  const watched = findWatchedSession(environment.env);
  if (watched !== null && readSession(context.root, watched.session) === null) return null;
  return nextIfIdle(context, name, input);
};

/** Answers `manifest`. */
export const answerManifest: Question<'manifest'> = ({ name }, environment) =>
  showManifest(createReadContext(environment), name);

/** Answers `status`; the whole program answers `--watch` and a person at a terminal. */
export const answerStatus: Question<'status'> = async ({ name, watch, ...input }, environment) => {
  const context = createReadContext(environment);
  const isForPerson = environment.stdoutIsTerminal && context.mark === null;
  return watch === true || isForPerson ? null : showStatus(context, name, input);
};

/** Answers `list`; the whole program answers a person at a terminal. */
export const answerList: Question<'list'> = async (_input, environment) => {
  const context = createReadContext(environment);
  return environment.stdoutIsTerminal && context.mark === null ? null : showRunList(context);
};

/**
 * Lists the candidates that a shell may offer for a value. Not a command: only the completion program calls this.
 * @throws any error
 */
export const answerOffer = (
  wanted: Parameters<typeof listCandidates>[1],
  site: CallEnvironment,
): Promise<Candidate[]> => listCandidates(createReadContext(site), wanted);
