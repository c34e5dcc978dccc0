import type { Answer } from '../../base/answer.js';
import { ERROR_CODES } from '../../base/error-codes.js';
import { DevCliError } from '../../base/errors.js';
import CALLS from '../../generated/neutral-calls.js';
import type { OwnGroup } from '../../protocol/ports.js';
import { callContractTool } from './call.js';
import type { CallName } from './specs.js';

/** The tools of the contract as the MCP server offers them (neutral.md, Doors). */
export const GROUP: OwnGroup = {
  tools: CALLS.flatMap(({ name, description, input, annotations }) =>
    annotations === undefined ? [] : [{ name, description, inputSchema: input, annotations }],
  ),
  async call(context, tool, given): Promise<Answer> {
    try {
      const { value, warnings } = await callContractTool(context, tool as CallName, given);
      return {
        json: value,
        exit: 0,
        recorded: true,
        ...(warnings.length > 0 && { stderr: warnings.join('\n') }),
      };
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      return { json: { error: error.message }, exit: ERROR_CODES[error.code], recorded: true };
    }
  },
};
