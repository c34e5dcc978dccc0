import { defined } from '../../base/defined.js';
import type { ResolvedAgent } from '../resolved.js';
import type { ProblemLog } from '../source/report.js';
import type { AgentSource } from '../source/schema-rows.js';
import { type ReadSibling, readSiblingText } from './text.js';

/** Replaces a harness's built-in explorer, which cannot write files, by the role that can. */
function resolveRole(type: string): string {
  return type === 'Explore' ? 'code-explorer' : type;
}

/**
 * Returns the ids of all agents, by block and position: as stated, else the type in lower case, numbered when it occurs
 * more than once (recipes.md §2).
 */
export function resolveAgentIds(listed: readonly (readonly AgentSource[])[]): string[][] {
  const taken = new Set(listed.flat().flatMap(({ id }) => id ?? []));
  const unnamed = listed.flat().flatMap(({ id, type }) => (id === undefined ? [toId(type)] : []));
  const next = new Map<string, number>();
  return listed.map((agents) =>
    agents.map(({ id, type }) => {
      if (id !== undefined) return id;
      const word = toId(type);
      if (unnamed.filter((other) => other === word).length === 1 && !taken.has(word)) return word;
      let number = next.get(word) ?? 1;
      while (taken.has(`${word}-${number}`)) number += 1;
      next.set(word, number + 1);
      return `${word}-${number}`;
    }),
  );
}

function toId(type: string): string {
  const word = type.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');
  return /^[a-z_]/.test(word) ? word : `_${word}`;
}

/** Reads the prompts of a block's agents and fills in their defaults. */
export function resolveAgents(
  agents: readonly AgentSource[],
  ids: readonly string[],
  place: readonly (string | number)[],
  report: ProblemLog,
  read: ReadSibling,
): ResolvedAgent[] {
  return agents.map((agent, index) => {
    const at = [...place, 'agents', index];
    if (agent.prompt !== undefined && agent.promptFile !== undefined) {
      report.error([...at, 'promptFile'], 'An agent has a `prompt` or a `promptFile`, not both.', { at: 'key' });
    }
    const prompt = agent.prompt ?? readSiblingText(agent.promptFile, [...at, 'promptFile'], report, read) ?? undefined;
    return {
      id: ids[index] ?? '',
      type: resolveRole(agent.type),
      ...defined({
        promptHint: agent.promptHint,
        prompt,
        promptFile: agent.promptFile,
        promptVariant: agent.promptVariant,
        output: agent.output,
      }),
      readsFrom: agent.readsFrom ?? [],
      ...defined({ when: agent.when }),
    };
  });
}
