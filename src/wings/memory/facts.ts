import { relative, resolve, sep } from 'node:path';
import { formatInstant } from '../../base/clock.js';
import type { JsonObject } from '../../base/json.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { appendFact } from '../../project/facts.js';
import type { HookEvent } from '../../protocol/ports.js';
import { resolvePath } from '../../store/inside.js';
import { isIgnored } from '../../work/ignored.js';
import type { Hearing } from './hearing.js';
import { readShownHead } from './text.js';

/** Captures facts from the hooks of a harness (memory.md, Hooks), without ever waiting for a lock. */

/** Maximum lengths in characters of a person's prompt, of the agent's last message, and of a path. */
const REQUEST = 200;
const SAID = 400;
const PATH = 400;

/**
 * Records facts about an event. Never throws: a fact that cannot be written is lost.
 * @param directory absolute path of the memory
 */
export function noteFacts(context: Hearing, event: HookEvent, directory: string): void {
  try {
    const at = formatInstant(context.clock.now());
    const stamp = { at, by: { ...context.caller }, ...readShownHead(context.workTree) };
    for (const fact of listFacts(context, event)) appendFact(directory, { ...fact, ...stamp });
  } catch {
    // A fact that cannot be recorded must not make the event fail.
  }
}

function listFacts(context: Hearing, event: HookEvent): JsonObject[] {
  switch (event.on) {
    case 'user-prompt-submit':
      return keepText('request', event.prompt, REQUEST);
    case 'post-tool-use': {
      const { files, tool, cwd } = event;
      const paths = listSeen(context, files, cwd);
      return paths.map((path) => ({ kind: 'edit', path: toBoundedLine(path, PATH), tool: toBoundedLine(tool, PATH) }));
    }
    case 'stop':
      return keepText('said', event.said ?? '', SAID);
    case 'session-start':
    case 'pre-tool-use':
    case 'session-end':
      return [];
  }
}

function keepText(kind: string, given: string, longest: number): JsonObject[] {
  const text = toBoundedLine(given, longest);
  return text === '' ? [] : [{ kind, text }];
}

/**
 * Lists those of the files that are in the work tree, relative to it. Omits ignored files, and those of git and
 * dev-cli.
 */
function listSeen({ workTree }: Hearing, files: readonly string[], cwd: string): string[] {
  const top = follow(workTree);
  const toPath = (file: string) => relative(top, follow(resolve(cwd, file))).replaceAll(sep, '/');
  return [...new Set(files.map(toPath))]
    .filter((path) => path !== '' && !path.startsWith('/') && !/^(?:\.\.|\.dev|\.git)(?:\/|$)/.test(path))
    .filter((path) => !isIgnored(top, `./${path}`, PATIENCE));
}

/** Maximum seconds until git says whether it ignores a path; without an answer, the path counts as not ignored. */
const PATIENCE = 2;

function follow(path: string): string {
  const found = resolvePath('/', path);
  return found.kind === 'inside' ? found.path : path;
}
