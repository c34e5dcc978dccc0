import { lazyPackage } from '../base/lazy.js';
import type { OnError } from '../machine/program.js';
import type { BlockCommand, ResolvedAgent, ResolvedBlock, ResolvedChoice, ResolvedRecipe } from './resolved.js';

const yaml = lazyPackage<typeof import('yaml')>('yaml');

type Shown = Record<string, unknown>;

/** A recipe as YAML with every default filled in, in the words of the language (recipes.md §6, show). For people. */
export function showRecipe(recipe: ResolvedRecipe): string {
  const document: Shown = {
    name: recipe.name,
    type: recipe.type,
    language: recipe.language,
    description: recipe.description,
    skill: recipe.skill,
    mode: recipe.mode,
    vars: recipe.vars,
    preferences: Object.fromEntries(
      Object.entries(recipe.preferences).map(([name, { values: _, ...spec }]) => [name, spec]),
    ),
    ...(recipe.usesDraft ? { draft: { required: recipe.draft.required } } : {}),
    ...(recipe.guardWrites === null ? {} : { guard: { writes: recipe.guardWrites } }),
    cleanup: recipe.cleanup,
    blocks: recipe.blocks.map(showBlock),
  };
  return yaml().stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
}

function showBlock(block: ResolvedBlock): Shown {
  const head = { id: block.id, type: block.kind, ...(block.when === undefined ? {} : { when: block.when }) };
  const tail = { onError: showOnError(block.onError), stale: block.stale };
  if (block.kind === 'cli') return { ...head, ...showCommand(block.command), ...tail };
  const asking = {
    instruction: block.instruction,
    ...given('instructionFile', block.instructionFile),
    read: block.read,
    consult: block.consult,
    ...(block.asks === 'user' && block.kind !== 'wait-for-user' ? { asks: 'user' } : {}),
  };
  return { ...head, ...asking, ...showKind(block), ...tail };
}

function showKind(block: Exclude<ResolvedBlock, { kind: 'cli' }>): Shown {
  switch (block.kind) {
    case 'llm':
      return {
        ...(block.choices.length === 0 ? {} : { choices: block.choices.map(showChoice) }),
        ...source('save', block.save),
        sections: block.sections,
        ...given('maxRounds', block.maxRounds),
      };
    case 'llm-loop':
      return { ...source('save', block.save), sections: block.sections, ...showLoop(block) };
    case 'llm+cli':
      return {
        write: block.write,
        ...given('schema', block.schema),
        ...(block.command === undefined ? {} : showCommand(block.command)),
      };
    case 'subagent':
    case 'subagent-loop':
      return {
        agents: block.agents.map(showAgent),
        parallel: block.parallel,
        ...source('onComplete', block.onComplete),
        ...showLoop(block),
      };
    case 'wait-for-user':
      return {
        message: block.message,
        ...(block.human ? { human: 'required' } : {}),
        ...given('artifact', block.artifact),
        choices: block.choices.map(showChoice),
        maxRounds: block.maxRounds,
      };
  }
}

function showLoop(block: Extract<ResolvedBlock, { kind: 'llm-loop' | 'subagent' | 'subagent-loop' }>): Shown {
  return {
    maxRounds: block.maxRounds,
    ...given('exitWhen', block.exitWhen),
    ...source('exitCheck', block.exitCheck),
    ...given('revise', block.revise),
  };
}

function showCommand(command: BlockCommand): Shown {
  if (command.kind === 'own') return { command: command.command.source };
  const { argv, shell, timeout, cwd } = command.command;
  return { command: shell ? (argv[0] ?? '') : argv, ...(shell ? { shell } : {}), timeout, cwd };
}

function showChoice({ id, label, goto, reasonRequired }: ResolvedChoice): Shown {
  return { id, label, goto, ...(reasonRequired ? { reason: 'required' } : {}) };
}

function showAgent({ id, type, prompt, ...rest }: ResolvedAgent): Shown {
  return { id, type, ...rest, ...(rest.promptFile === undefined ? given('prompt', prompt) : {}) };
}

function showOnError(onError: OnError): unknown {
  return onError.kind === 'retry' ? { retry: { max: onError.max } } : onError.kind;
}

function source(key: string, command: { source: string } | undefined): Shown {
  return given(key, command?.source);
}

function given(key: string, value: unknown): Shown {
  return value === undefined ? {} : { [key]: value };
}
