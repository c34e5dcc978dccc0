import { listToolGroups } from '../app/tools.js';
import type { Answer } from '../base/answer.js';
import { omitUndefined } from '../base/defined.js';
import type { Json } from '../base/json.js';
import { type ServerHost, serveTools, type ToolReply } from '../mcp/serve.js';
import { type OutputFormat, printAnswer, printFailure, toDevCliError } from './print.js';

/** Returns the output format of a tool's answer, adapted to the root if one was found. */
type Adapt = (root?: string) => Promise<OutputFormat>;

/**
 * Runs `mcp`: serves tools until the client's input ends (memory.md, MCP). The returned answer prints nothing, because
 * all replies have already been sent.
 * @throws DevCliError `USAGE` for an unknown group, `IO` for a message that is too large
 */
export async function serveMcp(
  named: Json | undefined,
  { cwd, env, root, signal, write }: ServerHost['site'] & Pick<ServerHost, 'write'>,
  adaptTo: (site: ServerHost['site'], format: OutputFormat, root?: string) => Promise<OutputFormat>,
): Promise<Answer> {
  const site = { cwd, env, signal, ...omitUndefined({ root }) };
  const document = { json: true, terminal: false, failsInText: false, ...omitUndefined({ root }) };
  const adapt: Adapt = (known) => adaptTo(site, document, known);
  const groups = await listToolGroups(named as string[] | undefined);
  await serveTools(groups, { site, input: process.stdin, write, reply: (call) => writeReply(call, adapt) });
  return { json: { ok: true }, exit: 0, text: () => '' };
}

async function writeReply(call: Promise<Answer>, adapt: Adapt): Promise<ToolReply> {
  try {
    const answer = await call;
    const format = await adapt(answer.root);
    return {
      value: JSON.parse(printAnswer(answer, format).stdout) as ToolReply['value'],
      ...(answer.text && { text: printAnswer(answer, { ...format, json: false }).stdout }),
      refused: answer.exit !== 0,
      warnings: answer.stderr?.split('\n') ?? [],
    };
  } catch (thrown) {
    const { stdout } = printFailure(toDevCliError(thrown, false), await adapt());
    return { value: JSON.parse(stdout) as ToolReply['value'], refused: true, warnings: [] };
  }
}
