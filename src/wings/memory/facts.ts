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

/** What the hooks of a harness capture (memory.md, Hooks); nothing here waits for a lock. */

/** Characters that are kept of a person's prompt, and of the agent's last message. */
const REQUEST = 200;
const SAID = 400;
const PATH = 400;

/** Keeps what an event tells, and never throws: what cannot be noted is not remembered. @param directory absolute, of the memory */
export function noteFacts(context: Hearing, event: HookEvent, directory: string): void {
  try {
    const at = formatInstant(context.clock.now());
    const stamp = { at, by: { ...context.caller }, ...readShownHead(context.workTree) };
    for (const fact of listFacts(context, event)) appendFact(directory, { ...fact, ...stamp });
  } catch {
    // No event fails for it.
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

/** The files in the work tree that are neither git's or dev-cli's own nor ignored, relative to it. */
function listSeen({ workTree }: Hearing, files: readonly string[], cwd: string): string[] {
  const top = follow(workTree);
  const toPath = (file: string) => relative(top, follow(resolve(cwd, file))).replaceAll(sep, '/');
  return [...new Set(files.map(toPath))]
    .filter((path) => path !== '' && !path.startsWith('/') && !/^(?:\.\.|\.dev|\.git)(?:\/|$)/.test(path))
    .filter((path) => !isIgnored(top, `./${path}`, PATIENCE));
}

/** Seconds that git is given to say of a path whether it ignores it; where it cannot, it does not. */
const PATIENCE = 2;

function follow(path: string): string {
  const found = resolvePath('/', path);
  return found.kind === 'inside' ? found.path : path;
}
