import type { ExecFileException } from 'node:child_process';
import { isJsonObject, type JsonObject, parseOrNull } from '../../base/json.js';
import { executeFile } from '../../work/processes.js';
import type { CaseStep } from './fixture.js';
import { openServerTarget } from './server-target.js';
import {
  type CaseEnvironment,
  type CaseTarget,
  readRefusal,
  renderStderrEnd,
  type TargetCommands,
  TargetError,
  type TargetNames,
  type TargetReply,
} from './target.js';

/** Translates a call and its parameters to the target's names. */
function rename(
  { name, params }: Pick<CaseStep, 'name' | 'params'>,
  { prefix, renamed }: TargetNames,
): Pick<CaseStep, 'name' | 'params'> {
  const named = Object.entries(params).map(([key, value]) => [renamed.get(`${name}.${key}`) ?? key, value]);
  return { name: renamed.get(name) ?? `${prefix}${name}`, params: Object.fromEntries(named) as JsonObject };
}

/** Opens the targets that answer the tools and the events of a case; null where there is none. */
export function openTargets(
  { server, command }: TargetCommands,
  naming: TargetNames,
  site: CaseEnvironment,
): Record<CaseStep['kind'], CaseTarget | null> {
  const direct = command === undefined ? null : openCommand(command, site);
  const served = server === undefined ? null : openServerTarget(fill(server, { root: site.root }), site);
  const tools = served ?? direct;
  return { tool: tools && { ...tools, call: (step) => tools.call(rename(step, naming)) }, event: direct };
}

/** Opens a target that starts a process for each call; the process prints one JSON value on stdout. */
function openCommand(command: readonly string[], { root, env, signal, seconds }: CaseEnvironment): CaseTarget {
  return {
    async call({ name, params }) {
      const [program = '', ...args] = fill(command, { root, call: name, params: JSON.stringify(params) });
      const limits = { timeoutSeconds: seconds, maxBuffer: 64 * 1024 * 1024 };
      const { error, stdout, stderr } = await executeFile(program, args, { cwd: root, env, signal, ...limits });
      if (error !== null && typeof error.code !== 'number') {
        throw new TargetError(`${program} ${describeEnd(error, seconds)}${renderStderrEnd(stderr)}`);
      }
      const printed = parseOrNull(stdout.toString('utf8'));
      if (isJsonObject(printed)) return readPrinted(printed, error?.code);
      const how = error === null ? '' : `ended with exit code ${error.code} and `;
      throw new TargetError(`${program} ${how}printed no JSON object${renderStderrEnd(stderr)}`);
    },
    close: async () => {},
  };
}

/** Describes the end of a program that returned no exit code. */
function describeEnd({ killed, signal, code }: ExecFileException, seconds: number): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed more than 64 MiB';
  if (killed) return `gave no answer in ${seconds} s`;
  return signal ? `was ended by ${signal}` : `could not be run (${code})`;
}

function readPrinted(
  { ok: _, warnings: _warnings, ...value }: JsonObject,
  code: ExecFileException['code'],
): TargetReply {
  const refusal = readRefusal(value);
  if (refusal !== null) return { value: { ...value, error: refusal }, refused: true };
  return { value, refused: Boolean(code) };
}

function fill(argv: readonly string[], values: Readonly<Record<string, string>>): string[] {
  return argv.map((word) => word.replace(/\{(root|call|params)\}/g, (whole, name: string) => values[name] ?? whole));
}
