import { DevCliError } from '../base/errors.js';
import TOOLS from '../generated/tools.js';
import type { ToolGroup } from '../protocol/ports.js';
import { quoteArgument } from '../registry/input.js';

/**
 * Lists the commands that are tools, by group (memory.md, MCP).
 * @param named the groups that are asked for; all by default
 * @throws DevCliError `USAGE` for an unknown group
 */
export function listToolGroups(named?: readonly string[]): ToolGroup[] {
  const ids = [...new Set(TOOLS.map(({ group }) => group))];
  const unknown = named?.find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    throw new DevCliError('USAGE', `There are no tools called ${quoteArgument(unknown)}.`, {
      details: [{ target: '--tools', problem: `${quoteArgument(unknown)} is no group` }],
      fix: `Name of these: ${ids.join(', ')}.`,
    });
  }
  return ids.filter((id) => named?.includes(id) ?? true).map(createGroup);
}

function createGroup(id: string): ToolGroup {
  const tools = TOOLS.filter(({ group }) => group === id);
  return {
    id,
    tools: tools.map(({ document }) => document),
    call: async (site, name, given) => {
      const tool = tools.find(({ document }) => document.name === name);
      if (tool === undefined) throw new DevCliError('INTERNAL', `${name} is no tool of ${id}.`);
      return (await import('./call-tool.js')).callTool(tool, site, given);
    },
  };
}
