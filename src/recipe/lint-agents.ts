import { suggestion } from '../base/suggest.js';
import type { Lintable } from './lintable.js';
import type { Place } from './report.js';
import type { ResolvedAgent } from './resolved.js';
import { quoted } from './yaml-source.js';

/** Every role has a definition that may write what is promised; ids and outputs are unique. */
export function lintAgents(lintable: Lintable): void {
  const ids = new Set<string>();
  for (const [index, block] of lintable.recipe.blocks.entries()) {
    if (!('agents' in block) || lintable.broken.has(index)) continue;
    const outputs = new Set<string>();
    for (const [at, agent] of block.agents.entries()) {
      const place = ['blocks', index, 'agents', at];
      lintRole(lintable, agent, [...place, 'type']);
      if (ids.has(agent.id) || agent.id in Object.prototype) {
        const what = ids.has(agent.id) ? 'is used twice' : 'cannot be used';
        lintable.report.error([...place, 'id'], `The agent id ${quoted(agent.id)} ${what}.`, {
          fix: 'Agent ids are unique in a recipe.',
        });
      }
      ids.add(agent.id);
      if (agent.output === undefined) continue;
      if (outputs.has(agent.output)) {
        lintable.report.error([...place, 'output'], `Two agents of this block write ${quoted(agent.output)}.`);
      }
      outputs.add(agent.output);
    }
  }
}

function lintRole({ agents, knownAgents, report }: Lintable, agent: ResolvedAgent, place: Place): void {
  const definition = agents[agent.type];
  if (definition === undefined) {
    const near = suggestion(agent.type, knownAgents);
    const meant = near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
    report.error(place, `There is no agent ${quoted(agent.type)}.${meant}`, {
      fix: `Define it in .dev/agents/${/^[A-Za-z0-9_-]+$/.test(agent.type) ? agent.type : 'NAME'}.md.`,
    });
  } else if (agent.output !== undefined && !definition.maySave) {
    report.error(
      place,
      `The agent ${quoted(agent.type)} (${definition.source}) has no tool to write its output with.`,
      {
        fix: 'Add Write to the tools of its definition.',
      },
    );
  }
}
