import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDigest } from '../../../src/documents/mark.js';
import { callDoor } from '../../support/door.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT } from '../../support/project.mjs';
import { canType, isInstalled, typeInto } from '../../support/shell.js';
import { findRealTerminal } from '../../support/terminal.mjs';

// Completion in real shells, each with its own home directory.

useProject({ replay: false });

const call = (...argv: string[]) => callDoor({ argv, cwd: project.root, env: project.env });

/**
 * Changes the installed completion; returns the exit code, what happened to each file, and whether completion works.
 */
function change(...args: string[]) {
  const { exit: status, stdout } = call('completion', ...args, '--json');
  const { files = [], works } = JSON.parse(stdout) as { files?: { path: string; change: string }[]; works?: boolean };
  return { status, works, changes: files.map((file) => file.change), paths: files.map(({ path }) => path) };
}

interface Kind {
  program: string;
  /**
   * The completion script; if a block is also added to a startup file of the shell, `startup` is that file. Relative to
   * the home directory.
   */
  script: string;
  startup?: string;
  prompt: [file: string, text: string];
  /** Keys that make the shell list the completions. */
  list: string;
}

const KINDS: Record<string, Kind> = {
  bash: {
    ...{ program: 'bash', script: '.local/share/bash-completion/completions/dev-cli', startup: '.bashrc' },
    ...{ prompt: ['.bashrc', "PS1='ready> '\n"], list: '\t\t\t' },
  },
  zsh: {
    ...{ program: 'zsh', script: '.local/share/dev-cli/_dev-cli', startup: '.zshrc' },
    ...{ prompt: ['.zshrc', "PS1='ready> '\n"], list: '\t\t' },
  },
  fish: {
    ...{ program: 'fish', script: '.config/fish/completions/dev-cli.fish' },
    ...{ prompt: ['.config/fish/config.fish', "function fish_prompt; echo -n 'ready> '; end\n"], list: '\t' },
  },
  powershell: { program: 'pwsh', script: '', prompt: ['', ''], list: '' },
};

describe.each(Object.keys(KINDS))('completion of %s', (shell) => {
  const { program, script, startup, prompt, list } = KINDS[shell] as Kind;
  const missing = !isInstalled(program);
  const suffix = missing ? ` (skipped: this machine has no ${program})` : '';
  const home = (path: string) => join(project.home, path);
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(home(path)), { recursive: true });
    writeFileSync(home(path), content);
  };

  it.skipIf(missing)(
    `installs it, again without a change, a new one over an old one, and takes it back${suffix}`,
    () => {
      const install = () => change('install', shell, '--yes');
      const both = (one: string) => (shell === 'fish' ? [one] : [one, one]);
      expect(install()).toMatchObject({ status: 0, works: true, changes: both('written') });
      expect(install()).toMatchObject({ status: 0, works: true, changes: both('none') });
      if (script === '') return;
      const shipped = readFileSync(home(script), 'utf8');
      // Two old scripts: one that an earlier version printed and a person saved, one that another version installed.
      const printed = shipped.replace(/^# installed-by.*\n/m, shell === 'zsh' ? '# dev-cli completion for zsh\n' : '');
      const other = addDigest(`${shipped.replace(/^(# installed-by: dev-cli) .*/m, '$1')}# other\n`);
      for (const old of [printed, other]) {
        put(script, old);
        expect(install()).toMatchObject({ status: 0, changes: ['written', ...both('none').slice(1)] });
        expect(readFileSync(home(script), 'utf8')).toBe(shipped);
      }
      expect(change('uninstall', shell, '--yes')).toMatchObject({ status: 0, changes: both('removed') });
      expect([script, ...(startup ? [startup] : [])].filter((path) => existsSync(home(path)))).toEqual([]);
      expect(change('uninstall', shell)).toMatchObject({ status: 0, changes: both('none') });
    },
  );

  it.skipIf(missing || script === '')(`leaves a script alone that somebody edited${suffix}`, () => {
    change('install', shell, '--yes');
    put(script, `${readFileSync(home(script), 'utf8')}# mine\n`);
    const edited = readFileSync(home(script), 'utf8');
    expect(change('install', shell, '--yes')).toMatchObject({ status: 3, changes: expect.arrayContaining(['edited']) });
    expect(change('uninstall', shell, '--yes')).toMatchObject({ status: 3 });
    expect(readFileSync(home(script), 'utf8')).toBe(edited);
  });

  it.skipIf(missing || !startup)(`gives a startup file its bytes back, whatever they are${suffix}`, () => {
    for (const text of ['', 'x=1', 'x=1\n', '\n\n', '# caf\xe9\n', '# one\r\n# two\r\n', '# >>> other >>>\n']) {
      const bytes = Buffer.from(text, 'latin1');
      put(startup ?? '', bytes);
      expect(change('install', shell, '--yes').works, JSON.stringify(text)).toBe(true);
      expect(readFileSync(home(startup ?? ''))).not.toEqual(bytes);
      expect(readFileSync(home(startup ?? '')).subarray(0, bytes.length)).toEqual(bytes);
      change('uninstall', shell, '--yes');
      expect(readFileSync(home(startup ?? '')), JSON.stringify(text)).toEqual(bytes);
    }
  });

  it.skipIf(missing || !startup)(`leaves a line that is added behind its block a line of its own${suffix}`, () => {
    put(startup ?? '', 'x=1');
    change('install', shell, '--yes');
    appendFileSync(home(startup ?? ''), 'y=2\n');
    expect(change('install', shell, '--yes')).toMatchObject({ status: 0, changes: ['none', 'none'] });
    const ran = spawnSync(program, ['-ic', 'echo "got=$y"'], { env: project.env, encoding: 'utf8' });
    expect(ran.stdout).toContain('got=2');
    change('uninstall', shell, '--yes');
    expect(readFileSync(home(startup ?? ''), 'utf8')).toBe('x=1\ny=2\n');
  });

  it.skipIf(missing || !startup)(`says that the block goes, not the file${suffix}`, () => {
    put(startup ?? '', 'x=1\n');
    expect(call('completion', 'install', shell, '--yes', '--text').stdout).toContain('rc: this block was put in\n');
    expect(call('completion', 'uninstall', shell, '--dry-run', '--text').stdout).toContain(
      'rc: this block would be taken out\n',
    );
    chmodSync(home(startup ?? ''), 0o400);
    expect(call('completion', 'uninstall', shell, '--yes', '--text').stderr).toContain('or take out by hand');
    chmodSync(home(startup ?? ''), 0o600);
    expect(call('completion', 'uninstall', shell, '--yes', '--text').stdout).toContain(
      'rc: this block was taken out\n',
    );
    expect(readFileSync(home(startup ?? ''), 'utf8')).toBe('x=1\n');
  });

  it.skipIf(missing)(`goes nowhere without a home directory${suffix}`, () => {
    project.env['HOME'] = '';
    const { exit, stderr } = call('completion', 'install', shell, '--dry-run', '--text');
    expect([exit, stderr]).toEqual([2, expect.stringContaining('HOME')]);
  });

  it.skipIf(missing || !startup)(
    `writes behind a link, keeps the mode, and leaves a changed block alone${suffix}`,
    () => {
      put('dotfiles/rc', 'x=1\n');
      chmodSync(home('dotfiles/rc'), 0o600);
      symlinkSync('dotfiles/rc', home(startup ?? ''));
      expect(change('install', shell, '--yes').status).toBe(0);
      expect([lstatSync(home(startup ?? '')).isSymbolicLink(), lstatSync(home('dotfiles/rc')).mode & 0o777]).toEqual([
        true,
        0o600,
      ]);
      const edited = readFileSync(home('dotfiles/rc'), 'utf8').replace('# <<<', 'echo mine\n# <<<');
      writeFileSync(home('dotfiles/rc'), edited);
      expect(change('install', shell, '--yes')).toMatchObject({ status: 3, changes: ['none', 'edited'] });
      expect(change('uninstall', shell, '--yes')).toMatchObject({ status: 3, changes: ['removed', 'edited'] });
      expect(readFileSync(home('dotfiles/rc'), 'utf8')).toBe(edited);
    },
  );

  it.skipIf(missing || !startup || findRealTerminal() === null)(`asks a person first${suffix}`, () => {
    const answer = (typed: string) =>
      findRealTerminal()?.(`dev-cli completion install ${shell}`, {
        cwd: project.root,
        env: project.env,
        answers: [typed],
      });
    expect(answer('n')).toMatchObject({ exit: 2, output: expect.stringContaining('# >>> dev-cli completion >>>') });
    expect([existsSync(home(startup ?? '')), existsSync(home(script))]).toEqual([false, false]);
    expect(answer('y')).toMatchObject({ exit: 0 });
    expect(readFileSync(home(startup ?? ''), 'utf8')).toContain('dev-cli completion');
  });

  const unfit = missing || script === '' || !canType;
  it.skipIf(unfit)(`completes runs with what they are about, options, values and files${suffix}`, async () => {
    call('init', 'add-auth', '--goal', 'Add JWT auth');
    call('init', 'add-log', '--new', '--goal', 'Log all requests');
    put(...prompt);
    expect(change('install', shell, '--yes').works).toBe(true);
    writeFileSync(join(project.root, 'notes of today.md'), '');
    put('of the home', '');
    const clear = '\u0015';
    const shown = await typeInto(
      program,
      [
        [`dev-cli next add${list}`, /Add JWT auth[\s\S]*Log all requests/],
        [`${clear}dev-cli next add-l\t`, /add-log /],
        [`${clear}dev-cli st${list}`, /who is waiting[\s\S]*Acknowledge/],
        [`${clear}dev-cli init x --recipe=bug\t`, /--recipe=bugfix/],
        [`${clear}dev-cli step complete --data @not\t`, /@notes\\ of\\ today\.md/],
        [`${clear}dev-cli check not\t`, /check notes\\ of\\ today\.md/],
        [`${clear}dev-cli next "add-l\t`, /"add-log" /],
        [`${clear}dev-cli check "not\t`, /check "notes of today\.md"/],
        [`${clear}dev-cli step complete --data "@not\t`, /"@notes of today\.md/],
        [`${clear}dev-cli step complete "--data=@not\t`, /"--data=@notes of today\.md/],
        [`${clear}dev-cli check ~/of\\ the\\ h\t`, /of\\ the\\ home/],
        [`${clear}dev-cli completion install ${list}`, /bash +fish +powershell +zsh *[\r\n]/],
      ],
      { cwd: project.root, env: { ...project.env, TERM: 'xterm' } },
    );
    expect(shown).not.toContain('command not found');
  });
});

describe('bash', () => {
  const found = '/usr/share/bash-completion/bash_completion';
  const missing = !existsSync(found);
  it.skipIf(missing)(
    `needs no block where bash-completion is loaded${missing ? ' (skipped: it is not there)' : ''}`,
    () => {
      const rc = join(project.home, '.bashrc');
      writeFileSync(rc, `. ${found}\n`);
      expect(change('install', 'bash')).toMatchObject({ status: 0, works: true, changes: ['written', 'none'] });
      expect(readFileSync(rc, 'utf8')).toBe(`. ${found}\n`);
    },
  );
});

describe('zsh', () => {
  const missing = !isInstalled('zsh');
  it.skipIf(missing)(`needs no block where it has a directory of its own${missing ? ' (skipped)' : ''}`, () => {
    const rc = join(project.home, '.zshrc');
    const text = 'fpath=(~/.zfunc $fpath)\nautoload -Uz compinit && compinit -i\n';
    writeFileSync(rc, text);
    const { paths, ...rest } = change('install', 'zsh');
    expect(rest).toEqual({ status: 0, works: true, changes: ['written', 'none'] });
    expect([paths[0], readFileSync(rc, 'utf8')]).toEqual([join(project.home, '.zfunc/_dev-cli'), text]);
  });
});

describe('a block', () => {
  const missing = !isInstalled('zsh');
  it.skipIf(missing)(`stays where it is why the shell looks${missing ? ' (skipped: no zsh)' : ''}`, () => {
    writeFileSync(join(project.home, '.zshrc'), 'fpath=(~/.zfunc $fpath)\n');
    expect(change('install', 'zsh', '--yes')).toMatchObject({ works: true, changes: ['written', 'written'] });
    expect(change('install', 'zsh', '--yes')).toMatchObject({ works: true, changes: ['none', 'none'] });
  });
});

describe('the answer', () => {
  it('says so where the shell does not complete', () => {
    const rc = join(project.home, '.bashrc');
    writeFileSync(rc, 'PATH=/nowhere\n');
    const { exit, stdout } = call('completion', 'install', 'bash', '--yes');
    expect([exit, stdout]).toEqual([3, expect.stringContaining('does not complete dev-cli')]);
  });

  it('is as long as a shim is allowed to be', () => {
    for (const ending of ['bash', 'zsh', 'fish', 'ps1']) {
      const text = readFileSync(join(CHECKOUT, `completions/dev-cli.${ending}`), 'utf8');
      expect(text.split('\n').length - 1).toBeLessThanOrEqual(40);
    }
  });
});
