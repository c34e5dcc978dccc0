import { DevCliError } from '../base/errors.js';
import TOOLS from '../generated/tools.js';
import type { ToolGroup } from '../protocol/ports.js';
import { quoteArgument } from '../registry/input.js';
import { OWN_GROUPS } from './ports.js';

/**
 * Lists the tools to serve, by group: commands, and tools that wings add (memory.md, MCP).
 * @param named the groups that the caller wants. The default is the groups of commands, since every listed tool takes
 * room in every session
 * @throws DevCliError `USAGE` for an unknown group
 */
export async function listToolGroups(named?: readonly string[]): Promise<ToolGroup[]> {
  const ids = [...new Set([...TOOLS.map(({ group }) => group), ...Object.keys(OWN_GROUPS)])];
  const unknown = named?.find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    throw new DevCliError('USAGE', `There is no group of tools named ${quoteArgument(unknown)}.`, {
      details: [{ target: '--tools', problem: `${quoteArgument(unknown)} is not a group` }],
      fix: `Name one or more of these: ${ids.join(', ')}.`,
    });
  }
  const chosen = ids.filter((id) => named?.includes(id) ?? !Object.hasOwn(OWN_GROUPS, id));
  return Promise.all(chosen.map(async (id) => (await loadOwnGroup(id)) ?? createGroup(id)));
}

async function loadOwnGroup(id: string): Promise<ToolGroup | null> {
  const own = await OWN_GROUPS[id]?.();
  if (own === undefined) return null;
  return { id, tools: own.tools, call: async (...call) => (await import('./call-tool.js')).callOwnTool(own, ...call) };
}

function createGroup(id: string): ToolGroup {
  const tools = TOOLS.filter(({ group }) => group === id);
  return {
    id,
    tools: tools.map(({ document }) => document),
    call: async (site, name, given) => {
      const tool = tools.find(({ document }) => document.name === name);
      if (tool === undefined) throw new DevCliError('INTERNAL', `${id} has no tool ${name}.`);
      return (await import('./call-tool.js')).callTool(tool, site, given);
    },
  };
}
