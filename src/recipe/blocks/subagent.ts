import { type Static, Type } from '@sinclair/typebox';
import { omitUndefined } from '../../base/defined.js';
import { readSiblingText } from '../resolve/text.js';
import type { ResolvedAgent, SubagentBlock } from '../resolved.js';
import { flagSchema, typeSchema } from '../source/schema-parts.js';
import {
  AgentSource,
  askingFields,
  blockSchema,
  boundSchema,
  loopFields,
  ownCommandSchema,
} from '../source/schema-rows.js';
import { type BlockContext, type BlockForm, lintLoop, type RecipeFields, showLoop } from './block-form.js';
import { ROUNDS, resolveAsking, resolveOwn } from './defaults.js';

const dispatchFields = () => ({
  agents: Type.Array(AgentSource, { minItems: 1, description: 'The agents to start.' }),
  parallel: Type.Optional(flagSchema('Start the agents together. Default true.')),
  onComplete: Type.Optional(
    ownCommandSchema('Runs once every agent has delivered or has been given up.', 'dev-cli draft import {name}'),
  ),
});
/** The source form of `subagent`. */
export const subagentSource = () =>
  blockSchema({
    ...askingFields,
    type: typeSchema('subagent', 'Other agents work once, each on its own file.'),
    ...dispatchFields(),
    maxRounds: boundSchema('Always one round here; use subagent-loop for more.'),
  });

/** The source form of `subagent-loop`. */
export const subagentLoopSource = () =>
  blockSchema({
    ...askingFields,
    type: typeSchema('subagent-loop', 'Other agents work in rounds until exitWhen is true.'),
    ...dispatchFields(),
    ...loopFields,
  });

type SubagentSource = Static<ReturnType<typeof subagentSource>>;
type SubagentLoopSource = Static<ReturnType<typeof subagentLoopSource>>;

/** `subagent`: other agents work once, each on a file of its own. */
export const SUBAGENT_FORM: BlockForm<SubagentSource, SubagentBlock> = {
  resolve: (block, context) => ({ ...resolveDispatch(block, context), kind: block.type, maxRounds: 1 }),
  show: showDispatch,
  listTexts: () => [],
  lint({ report }, index, _, { maxRounds = 1 }) {
    if (maxRounds === 1) return;
    report.warning(['blocks', index, 'maxRounds'], 'A `subagent` block is always one round.', {
      fix: 'Use `subagent-loop` with `exitWhen` for more.',
    });
  },
};

/** `subagent-loop`: other agents work in rounds. */
export const SUBAGENT_LOOP_FORM: BlockForm<SubagentLoopSource, SubagentBlock> = {
  resolve: (block, context) => ({
    ...resolveDispatch(block, context),
    kind: block.type,
    ...omitUndefined({ exitCheck: resolveOwn(block.exitCheck, 'exitCheck', context), exitWhen: block.exitWhen }),
    maxRounds: block.maxRounds ?? ROUNDS,
    ...omitUndefined({ revise: block.revise }),
  }),
  show: showDispatch,
  listTexts: () => [],
  lint: lintLoop,
};

function resolveDispatch(block: SubagentSource | SubagentLoopSource, context: BlockContext) {
  const onComplete = resolveOwn(block.onComplete, 'onComplete', context);
  const { agents, parallel = true } = block;
  return {
    ...resolveAsking(block, describeStart(agents.length, parallel), context),
    asks: null,
    agents: resolveAgents(agents, context),
    parallel,
    ...omitUndefined({ onComplete }),
  };
}

/** Replaces a harness's built-in explorer, which cannot write files, with the role that can. */
function resolveRole(type: string): string {
  return type === 'Explore' ? 'code-explorer' : type;
}

/** Reads the prompts of a block's agents and fills in the agents' defaults. */
function resolveAgents(agents: readonly AgentSource[], context: BlockContext): ResolvedAgent[] {
  return agents.map((agent, index) => {
    const at = [...context.place, 'agents', index];
    if (agent.prompt !== undefined && agent.promptFile !== undefined) {
      context.report.error([...at, 'promptFile'], 'An agent has a `prompt` or a `promptFile`, not both.', {
        at: 'key',
      });
    }
    const prompt =
      agent.prompt ??
      readSiblingText(agent.promptFile, [...at, 'promptFile'], context.report, context.read) ??
      undefined;
    return {
      id: context.agentIds[index] ?? '',
      type: resolveRole(agent.type),
      ...omitUndefined({
        promptHint: agent.promptHint,
        prompt,
        promptFile: agent.promptFile,
        promptVariant: agent.promptVariant,
        output: agent.output,
      }),
      readsFrom: agent.readsFrom ?? [],
      ...omitUndefined({ when: agent.when }),
    };
  });
}

function describeStart(count: number, parallel: boolean): string {
  const which = count === 1 ? 'Start the agent and wait for it.' : 'Start all agents together; wait for all.';
  return parallel || count === 1 ? which : 'Start the agents one after the other, in this order.';
}

function showDispatch({ agents, parallel, onComplete, ...loop }: SubagentBlock): RecipeFields {
  return {
    agents: agents.map(showAgent),
    parallel,
    ...omitUndefined({ onComplete: onComplete?.source }),
    ...showLoop(loop),
  };
}

function showAgent({ id, type, prompt, ...rest }: ResolvedAgent): RecipeFields {
  return { id, type, ...rest, ...(rest.promptFile === undefined ? omitUndefined({ prompt }) : {}) };
}
