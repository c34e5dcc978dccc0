import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerCompletion } from '../../../src/cli/completion.js';
import { REGISTRY } from '../../../src/registry/find.js';
import { renderCommand } from '../../../src/registry/render.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dev-cli-completion-'));
  // A stand-in for the binary: the script asks it for names only.
  const standIn =
    '#!/bin/sh\n[ "$1 $2 $3" = "completion --candidates name" ] && printf "%s\\n" add-auth add-log "\\$(touch pwned)"\n';
  writeFileSync(join(directory, 'dev-cli'), standIn);
  chmodSync(join(directory, 'dev-cli'), 0o755);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const scriptOf = (shell: string): string => answerCompletion(shell).text?.(renderCommand) ?? '';
const installed = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** What a shell is given to say what it offers behind the words; the last one is being typed. */
const ASKING: Record<string, (words: string[]) => string[]> = {
  bash: (words) => [
    '-c',
    `. ./bash
COMP_WORDS=(dev-cli ${words.join(' ')}); COMP_CWORD=${words.length}; _dev_cli 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Its completion works in a line editor only: what the script calls there is stood in for.
  zsh: (words) => [
    '-f',
    '-c',
    `words=(dev-cli ${words.join(' ')}); CURRENT=${words.length + 1}; typed=$words[CURRENT]
compdef() { }
compadd() { shift; print -rl -- "\${(@M)@:#$typed*}" }
compset() { typed=\${typed#$2} }
_files() { print -rl -- $typed*(N) }
. ./zsh; _dev_cli`,
  ],
  fish: (words) => ['--no-config', '-c', `. ./fish; complete -C "dev-cli ${words.join(' ').replace(/''$/, '')}"`],
};

function offered(shell: string, ...words: string[]): string[] {
  const quoted = words.map((word) => (word === '' ? "''" : word));
  const env = { ...process.env, HOME: directory, PATH: `${directory}:${process.env['PATH']}` };
  const args = ASKING[shell]?.(quoted) ?? [];
  const text = execFileSync(shell, args, { encoding: 'utf8', cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split('\t')[0] ?? '').sort();
}

describe.each(['bash', 'zsh', 'fish'])('completion of %s', (shell) => {
  const missing = !installed(shell);
  const suffix = missing ? ` (skipped: this machine has no ${shell})` : '';
  beforeAll(() => writeFileSync(join(directory, shell), scriptOf(shell)));

  it('names the commands', () => {
    for (const { name } of REGISTRY.commands) expect(scriptOf(shell)).toContain(name);
    expect(scriptOf(shell)).not.toContain('--candidates file');
  });

  it.skipIf(missing)(`is accepted by the shell${suffix}`, () => {
    const checked = spawnSync(shell, ['-n', shell], { cwd: directory, encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
  });

  it.skipIf(missing)(`offers commands and their words${suffix}`, () => {
    expect(offered(shell, 'st')).toEqual(['status', 'step']);
    expect(offered(shell, 'step', '')).toEqual(['complete', 'fail', 'invalidate', 'undo']);
    expect(offered(shell, '--json', 'step', 'c')).toEqual(['complete']);
    expect(offered(shell, 'help', '')).toEqual([]);
  });

  it.skipIf(missing)(`offers options and closed lists of values${suffix}`, () => {
    expect(offered(shell, 'init', 'x', '--a')).toEqual(['--autopilot']);
    expect(offered(shell, 'schema', 'pl')).toEqual(['plan-content']);
    expect(offered(shell, 'completion', '')).toEqual(['bash', 'fish', 'zsh']);
    expect(offered(shell, 'completion', '--')).not.toContain('--candidates');
  });

  it.skipIf(missing)(`asks for names when it needs them, and runs nothing that a name holds${suffix}`, () => {
    expect(offered(shell, 'next', 'add-')).toEqual(['add-auth', 'add-log']);
    expect(offered(shell, 'next', '')).toContain('$(touch pwned)');
    expect(readdirSync(directory)).not.toContain('pwned');
  });

  if (shell === 'bash') return; // which completes files by itself, also behind an @
  it.skipIf(missing)(`offers files, also behind an @${suffix}`, () => {
    writeFileSync(join(directory, 'notes.md'), '');
    const data = (word: string) => offered(shell, 'step', 'complete', '--data', word);
    expect(data('no').map((path) => path.replace(/^@/, ''))).toEqual(['notes.md']);
    expect(data('@no').map((path) => path.replace(/^@/, ''))).toEqual(['notes.md']);
    expect(offered(shell, 'check', 'no')).toEqual(['notes.md']);
  });
});
