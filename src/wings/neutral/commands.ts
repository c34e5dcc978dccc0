import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { isJsonObject, parseOrNull } from '../../base/json.js';
import type { HandlersOf } from '../../protocol/ports.js';
import type { InputIn } from '../../registry/spec.js';
import { callContractTool, type NeutralContext } from './call.js';
import type { NEUTRAL_SPECS } from './command-specs.js';

/** Handlers of the neutral contract's commands. */
export const HANDLERS: HandlersOf<typeof NEUTRAL_SPECS> = {
  'nexus call': call,
  'nexus owner': async (context, { task }) => (await import('./owner.js')).decideOwner(context, task),
  'nexus report': async (context, { name }) => (await import('./report.js')).reportRun(context, name),
  'nexus merge': async (_, input, { cwd }) => (await import('./merge.js')).mergeHistories(input, cwd),
};

/**
 * `nexus call`: calls one tool. @throws DevCliError `DATA_MALFORMED` for parameters that are not an object; as
 * `callContractTool`
 */
async function call(
  context: NeutralContext,
  { tool, data }: InputIn<typeof NEUTRAL_SPECS, 'nexus call'>,
): Promise<Answer> {
  const given = data === undefined ? {} : parseOrNull(data.text);
  if (!isJsonObject(given)) {
    throw new DevCliError('DATA_MALFORMED', 'The parameters are no JSON object.', {
      details: [{ target: '--data', problem: 'no JSON object' }],
      fix: 'Give them as one object: {"title": "…", "context": "…"}.',
    });
  }
  const { value, warnings } = await callContractTool(context, tool, given);
  return { json: { ok: true, ...value, ...(warnings.length > 0 && { warnings }) }, exit: 0, recorded: true };
}
