import { findExternalCommand } from '../external-commands.js';
import type { SourcePath } from '../source/report.js';
import { quoteWord } from '../source/yaml.js';
import type { Lintable } from './lintable.js';

/** What only a shell does: no program of the name changes anything for whoever starts it. */
const OF_SHELL = ['cd', 'export', 'source', '.', 'alias', 'unset', 'set'];

/** Warns of external commands that only a shell understands, where none reads them (authoring.md, What lint warns of though it can run). */
export function lintCommands({ recipe, report }: Lintable): void {
  const warn = (place: SourcePath, { argv: [first = ''], shell }: { argv: readonly string[]; shell: boolean }) => {
    const setsVariable = /^[A-Za-z_]\w*=/.test(first);
    if (shell || (!setsVariable && !OF_SHELL.includes(first))) return;
    const way =
      first === 'cd'
        ? 'Set the directory with `cwd`, or write'
        : setsVariable
          ? 'Put `env` before it, or write'
          : 'Write';
    report.warning(place, `${quoteWord(first)} is not a program, and no shell reads this command.`, {
      within: first,
      fix: `${way} ${recipe.engine === undefined ? '`shell: true`' : "`[sh, -c, '…']`"}.`,
    });
  };
  for (const [index, block] of recipe.blocks.entries()) {
    const found = findExternalCommand(block);
    if (found !== null) warn(['blocks', index, found.key], found.command);
  }
  for (const { key, command } of Object.values(recipe.engine?.handlers ?? {})) {
    if (command !== undefined) warn(['handlers', key, 'command'], command);
  }
}
