import type { Answer } from '../base/answer.js';
import { readSession } from '../project/pointers.js';
import { listCandidates } from '../protocol/candidates.js';
import { list } from '../protocol/questions/list.js';
import { manifest } from '../protocol/questions/manifest.js';
import { nextIfIdle } from '../protocol/questions/next.js';
import { status } from '../protocol/questions/status.js';
import type { InputOf } from '../registry/catalogue.js';
import type { Candidate } from '../registry/spec.js';
import { createReadContext, findWatchedSession } from './context.js';
import type { Environment } from './environment.js';

/** The commands that only ask, and that an agent, its hooks and people call most. */
export type QuestionName = 'next' | 'manifest' | 'status' | 'list';

/**
 * Answers a question without anything that could change a run or takes long to load (house.md, Speed).
 * @returns null when something has to be finished or launched before: `execute` does it
 * @throws whatever went wrong, and where a module is needed that this program leaves out; nothing was changed, and the
 * whole program then answers
 */
export type Question<Name extends QuestionName> = (
  input: InputOf<Name>,
  environment: Environment,
) => Promise<Answer | null>;

/** Answers `next` where nothing has to be finished before, and no session told that its hooks are not heard. */
export const answerNext: Question<'next'> = async ({ name, ...input }, environment) => {
  const context = createReadContext(environment);
  const watched = findWatchedSession(environment.env);
  if (watched !== null && readSession(context.root, watched.session) === null) return null;
  return nextIfIdle(context, name, input);
};

/** Answers `manifest`. */
export const answerManifest: Question<'manifest'> = ({ name }, environment) =>
  manifest(createReadContext(environment), name);

/** Answers `status`; `--watch`, and what a person reads, are left to the whole program. */
export const answerStatus: Question<'status'> = async ({ name, watch, ...input }, environment) => {
  const context = createReadContext(environment);
  const isForPerson = environment.stdoutIsTerminal && context.mark === null;
  return watch === true || isForPerson ? null : status(context, name, input);
};

/** Answers `list`, but where a person reads it. */
export const answerList: Question<'list'> = async (_input, environment) => {
  const context = createReadContext(environment);
  return environment.stdoutIsTerminal && context.mark === null ? null : list(context);
};

/** Lists what a shell may offer for a value; it is no command, and only its own program asks. @throws whatever went wrong */
export const answerOffer = (wanted: Parameters<typeof listCandidates>[1], site: Environment): Promise<Candidate[]> =>
  listCandidates(createReadContext(site), wanted);
