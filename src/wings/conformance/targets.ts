import { isJsonObject, type JsonObject, parseOrNull } from '../../base/json.js';
import { executeFile } from '../../work/processes.js';
import type { Step } from './fixture.js';
import { openServer } from './server-target.js';
import {
  type Commands,
  type Naming,
  type Reply,
  readRefusal,
  type Site,
  type Target,
  TargetError,
  tellEnd,
} from './target.js';

/** Names a call and its parameters as what is tested does. */
function rename(
  { name, params }: Pick<Step, 'name' | 'params'>,
  { prefix, renamed }: Naming,
): Pick<Step, 'name' | 'params'> {
  const named = Object.entries(params).map(([key, value]) => [renamed.get(`${name}.${key}`) ?? key, value]);
  return { name: renamed.get(name) ?? `${prefix}${name}`, params: Object.fromEntries(named) as JsonObject };
}

/** Opens what answers the tools and the events of a case; null where nothing does. */
export function openTargets(
  { server, command }: Commands,
  naming: Naming,
  site: Site,
): Record<Step['kind'], Target | null> {
  const direct = command === undefined ? null : openCommand(command, site);
  const served = server === undefined ? null : openServer(fill(server, { root: site.root }), site);
  const tools = served ?? direct;
  return { tool: tools && { ...tools, call: (step) => tools.call(rename(step, naming)) }, event: direct };
}

/** A process for each call: one JSON value on its standard output. */
function openCommand(command: readonly string[], { root, env, signal, seconds }: Site): Target {
  return {
    async call({ name, params }) {
      const [program = '', ...args] = fill(command, { root, call: name, params: JSON.stringify(params) });
      const limits = { timeoutSeconds: seconds, maxBuffer: 64 * 1024 * 1024 };
      const { error, stdout, stderr } = await executeFile(program, args, { cwd: root, env, signal, ...limits });
      if (error !== null && (error.killed || typeof error.code !== 'number')) {
        const why = error.killed ? `gave no answer in ${seconds} s` : `could not be run (${error.code})`;
        throw new TargetError(`${program} ${why}${tellEnd(stderr)}`);
      }
      return readPrinted(stdout.toString('utf8'), error !== null, tellEnd(stderr));
    },
    close: async () => {},
  };
}

function readPrinted(stdout: string, failed: boolean, stderr: string): Reply {
  const printed = parseOrNull(stdout);
  if (!isJsonObject(printed)) {
    if (failed) return { value: { error: stdout.trim() || stderr }, refused: true };
    throw new TargetError(`the command printed no JSON object${stderr}`);
  }
  const { ok: _, warnings: _warnings, ...value } = printed;
  const refusal = readRefusal(value);
  if (refusal !== null) return { value: { ...value, error: refusal }, refused: true };
  return { value, refused: failed };
}

function fill(argv: readonly string[], values: Readonly<Record<string, string>>): string[] {
  return argv.map((word) => word.replace(/\{(root|call|params)\}/g, (whole, name: string) => values[name] ?? whole));
}
