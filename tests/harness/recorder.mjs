// Adds hooks to a project, beside dev-cli's, that record a harness's payloads (RECORD=DIRECTORY, README.md).
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const OF_BOTH = ['SessionStart', 'SessionEnd'];
const EVENTS = {
  codex: [
    ...OF_BOTH,
    ...['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'PreCompact', 'PostCompact'],
    ...['SubagentStart', 'SubagentStop'],
  ],
  gemini: [...OF_BOTH, 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'PreCompress'],
};
const FILES = { codex: '.codex/hooks.json', gemini: '.gemini/settings.json' };

/** Adds the recording hooks to a project. They write one payload per line into DIRECTORY/HARNESS-PLAY.jsonl. */
export function record(project, harness, play, directory) {
  mkdirSync(directory, { recursive: true });
  const command = `{ cat; echo; } >> '${join(resolve(directory), `${harness}-${play}.jsonl`)}'`;
  const hooks = Object.fromEntries(
    EVENTS[harness].map((event) => [event, [{ hooks: [{ type: 'command', command }] }]]),
  );
  const file = join(project.root, FILES[harness]);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ hooks }, null, 2));
}
