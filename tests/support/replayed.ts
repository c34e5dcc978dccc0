import { existsSync } from 'node:fs';
import { DevCliError } from '../../src/base/errors.js';
import { RUN_LAYOUT } from '../../src/project/layout.js';
import { runReplay } from '../../src/protocol/questions/replay.js';
import { runCodec } from '../../src/run/codec.js';
import { createReadMedium, createStorePaths } from '../../src/store/directory-reading.js';
import { replay } from '../../src/store/replay.js';
import { renderReplayDifference } from '../../src/views/replay-text.js';
import type { Project } from './project.mjs';

/**
 * Checks, in this process, what `replay --check` checks: that each run of the project, rebuilt from its journal alone,
 * equals the files on disk (storage.md, A commit). Runs before a test's project is removed.
 */
export function replayEveryRun(project: Project): void {
  const { root } = project;
  if (!existsSync(root)) return;
  const medium = createReadMedium(createStorePaths(root, RUN_LAYOUT));
  const problems = medium.streams().flatMap((name) => {
    try {
      const { look, report } = runReplay(name);
      const options = { layout: RUN_LAYOUT, medium, codec: runCodec, clock: Date, stream: name, look };
      const { differences, notes } = report(replay(options));
      // dev-cli lets a person edit a rendering, but a test that does so has to set `project.replay` to false.
      const rendered = notes.filter(({ problem }) => problem.includes('rendered'));
      return [...differences, ...rendered].map(renderReplayDifference);
    } catch (error) {
      if (error instanceof DevCliError) return [`${error.code} ${error.message}`];
      throw error;
    }
  });
  if (problems.length === 0) return;
  throw new Error(
    `A run is not what its journal says. A test that breaks it on purpose says so: project.replay = false.\n${problems.join('\n')}`,
  );
}
