import { DevCliError } from '../base/errors.js';
import { isName, requireName } from '../base/name.js';
import type { StoreLayout } from '../store/layout.js';

/** The directory in which dev-cli keeps its durable state, relative to the root (storage.md, Layout). */
export const DEV_DIRECTORY = '.dev';

/** The directory of the runs, relative to the root. */
export const RUNS = `${DEV_DIRECTORY}/specs`;

/** Matches the guard file, the active pointer and the session files, which only dev-cli writes, also with an ending. */
const MARKS = /^\.dev\/(guard|active-spec|sessions)(\.|\/|$)/;

/** Runs as streams of a store: one directory per run (storage.md, Layout). */
export const RUN_LAYOUT: StoreLayout = {
  noun: 'run',
  home: DEV_DIRECTORY,
  streams: RUNS,
  names: { snapshot: 'state.json', journal: 'events.jsonl', objects: 'objects', lock: 'lock' },
  isName,
  checkedName: requireName,
  isReserved: (path) => MARKS.test(path),
  taken: (stream) =>
    new DevCliError('RUN_EXISTS', `"${stream}" has a run; its documents change only with its commits.`, {
      fix: 'Repeat the same call.',
    }),
};

/** Version of state.json's format (storage.md, state.json). */
export const STATE_SCHEMA_VERSION = 3;
