import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderCount } from '../../../base/words.js';
import type { Diagnosis, InstallExtra } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { withIoErrors } from '../../../store/io.js';
import { HARNESSES } from '../harness.js';
import { pathExists } from '../install/disk.js';
import { locateExtra, TOOL_SERVER } from '../install/extras.js';
import { NEW_HOOK } from '../install/git-block.js';
import { GIT_HARNESS, planGitHook } from '../install/git-hook.js';
import { readAtPath } from '../install/settings.js';
import { buildEnvironment, SESSION, withTemporaryDirectory } from './playground.js';
import { describeProbeFailure, type EnvironmentVariables, type Probes, type ProgramEnd } from './probes.js';

/** Checks whether the extras that `install --with` has set up work (harness.md, Doctor). */

interface Asked {
  cwd: string;
  env: EnvironmentVariables;
  probes: Probes;
  /** Returns whether the manifest lists an extra as requested. */
  isInstalled: (extra: InstallExtra) => boolean;
}

/** Tries the tool server, and the git hook block in a temporary repository. @throws DevCliError `IO`, `INTERRUPTED` */
export async function tryExtras(context: Context, extras: readonly InstallExtra[], asked: Asked): Promise<Diagnosis[]> {
  const atWork = extras.filter((extra) => pathExists(locateExtra(context, asked.cwd, extra)));
  const tried = atWork.map(async (extra) => [
    await tryServer(extra, asked),
    ...(extra.readsCommits ? await tryHook(context, extra, asked) : []),
  ]);
  return (await Promise.all(tried)).flat();
}

const REQUEST = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`;

async function tryServer({ name: check }: InstallExtra, { probes }: Asked): Promise<Diagnosis> {
  const line = [TOOL_SERVER.command, ...TOOL_SERVER.args].join(' ');
  const ran = await probes.run(TOOL_SERVER.command, TOOL_SERVER.args, { input: REQUEST });
  const count = countTools(ran);
  if (count > 0) return { check, severity: 'ok', message: `\`${line}\` offers ${renderCount(count, 'tool')}.` };
  const message = `\`${line}\`, as found on the PATH, offers no tools: it ${describeProbeFailure(ran)}.`;
  return { check, severity: 'problem', message, fix: `Run \`${line} </dev/null\` and read its output.` };
}

function countTools({ stdout }: ProgramEnd): number {
  try {
    const tools = readAtPath(JSON.parse(stdout), ['result', 'tools']);
    return Array.isArray(tools) ? tools.length : 0;
  } catch {
    return 0;
  }
}

async function tryHook(context: Context, extra: InstallExtra, asked: Asked): Promise<Diagnosis[]> {
  const { result } = await planGitHook(context.root, { signal: context.signal });
  const check = extra.name;
  const fix = { command: 'install', input: { harness: [GIT_HARNESS] } };
  switch (result.status) {
    case 'not-git':
      return [];
    case 'already-installed':
      return [await tryBlock(extra, asked)];
    case 'installed':
    case 'refused': {
      const severity = asked.isInstalled(extra) && result.status === 'installed' ? 'problem' : 'note';
      return [
        {
          check,
          severity,
          message: 'Nothing records which session made a commit: the git hook has no block of dev-cli.',
          fix,
        },
      ];
    }
    default:
      return [{ check, severity: 'problem', message: 'The block of dev-cli in the git hook is outdated.', fix }];
  }
}

function tryBlock({ name: check }: InstallExtra, { probes, env }: Asked): Promise<Diagnosis> {
  return withTemporaryDirectory(async (base) => {
    const [hook, commits] = [join(base, '.git/hooks/post-commit'), join(base, '.git/dev-cli-commits')];
    const variable = Object.values(HARNESSES).find(({ session }) => session !== undefined)?.session ?? '';
    const around = { cwd: base, env: { ...buildEnvironment(env, base, dirname(base)), [variable]: SESSION } };
    const author = ['user.name=dev-cli', 'user.email=dev-cli@localhost', 'commit.gpgsign=false'];
    const settings = [`core.hooksPath=${dirname(hook)}`, ...author].flatMap((one) => ['-c', one]);
    await probes.run('git', ['init', '--quiet', '--template=', '.'], around);
    withIoErrors(hook, null, () => {
      mkdirSync(dirname(hook), { recursive: true });
      writeFileSync(hook, NEW_HOOK, { mode: 0o755 });
      writeFileSync(commits, '');
    });
    const ran = await probes.run('git', [...settings, 'commit', '--quiet', '--allow-empty', '-m', 'doctor'], around);
    const isNoted = new RegExp(`^[0-9a-f]{40,64} \\d+ ${SESSION}\n$`).test(probes.read(commits) ?? '');
    if (isNoted) return { check, severity: 'ok', message: 'The git hook records each commit with its session.' };
    const message = `The git hook records no commits: \`git commit\` in a temporary repository ${describeProbeFailure(ran)}, and nothing was recorded.`;
    return { check, severity: 'problem', message, fix: 'Make sure that sh, git and date are on the PATH and work.' };
  });
}
