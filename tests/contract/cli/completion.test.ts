import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionAnswer } from '../../../src/cli/completion.js';
import { COMMANDS } from '../../../src/registry/find.js';

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

const scriptOf = (shell: string): string => completionAnswer(shell).text?.() ?? '';
const installed = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** What bash offers behind the words; the last one is being typed. */
function offered(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `${scriptOf('bash')}
COMP_WORDS=(dev-cli ${quoted}); COMP_CWORD=${words.length}; _dev_cli 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${directory}:${process.env['PATH']}` };
  const text = execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: directory, env });
  return text.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('of %s is accepted by the shell', (shell) => {
    const script = scriptOf(shell);
    for (const { name } of COMMANDS) expect(script).toContain(name);
    expect(script).not.toContain('--candidates file');
    if (!installed(shell)) return;
    const checked = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
  });

  it('offers commands and their words', () => {
    expect(offered('st')).toEqual(['step', 'status']);
    expect(offered('step', '')).toEqual(['complete', 'fail', 'invalidate']);
    expect(offered('--json', 'step', 'c')).toEqual(['complete']);
    expect(offered('help', '')).toEqual([]);
  });

  it('offers options and closed lists of values', () => {
    expect(offered('init', 'x', '--a')).toEqual(['--autopilot']);
    expect(offered('schema', 'p')).toEqual(['plan-content']);
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offered('completion', '--')).not.toContain('--candidates');
  });

  it('asks for names when it needs them, and runs nothing that a name holds', () => {
    expect(offered('next', 'add-')).toEqual(['add-auth', 'add-log']);
    expect(offered('next', '')).toContain('$(touch pwned)');
    expect(spawnSync('ls', [directory], { encoding: 'utf8' }).stdout).not.toContain('pwned');
  });
});
