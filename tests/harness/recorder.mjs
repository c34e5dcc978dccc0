// Hooks of a project's own beside those of dev-cli, which keep what a harness sends (RECORD=DIRECTORY, README.md).
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

/** Puts the recording hooks into a project: a payload a line in DIRECTORY/HARNESS-PLAY.jsonl. */
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
