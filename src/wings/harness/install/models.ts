import { HARNESS_IDS, type HarnessId } from '../../../generated/harnesses.js';
import { readProjectSettings } from '../../../recipe/settings/project-settings.js';
import type { ProjectSettings } from '../../../recipe/settings/project-settings-schema.js';
import { quoteSuggestion, quoteWord } from '../../../recipe/source/yaml.js';
import type { Agent } from '../adapter.js';
import { HARNESSES } from '../harness.js';
import { readOr } from './disk.js';

/** Models and efforts of installed agents, as a project's preferences name them (harness.md, Models and effort). Pure. */

/** By role; `default` is for every other role. */
export type AgentChoices = NonNullable<ProjectSettings['agents']>;

/** The name under which choices for all other roles stand. */
const DEFAULT = 'default';

/**
 * Reads what .dev/preferences.yaml says of agents.
 * @param text content of the file; null where there is none
 * @param roles the roles that `install` writes agents for
 * @throws DevCliError `PREFERENCES_INVALID` with every problem at its place
 */
export function readAgentChoices(text: string | null, roles: readonly string[]): AgentChoices {
  const known = [DEFAULT, ...roles];
  const { agents = {} } = readProjectSettings(text, ['agents'], ({ agents: stated = {} }, report) => {
    for (const [role, { model, ...choices }] of Object.entries(stated)) {
      if (!known.includes(role)) {
        const meant = quoteSuggestion(role, known);
        report.error(['agents', role], `No agent is installed for ${quoteWord(role)}.${meant}`, {
          at: 'key',
          fix: meant === '' ? `It can be one of ${known.join(', ')}.` : undefined,
        });
      }
      if (model !== undefined) {
        report.error(['agents', role, 'model'], 'Each harness calls its models differently.', {
          at: 'key',
          fix: `Name the harness, such as \`${HARNESS_IDS[0]}: { model: ${JSON.stringify(model).slice(0, 60)} }\`.`,
        });
      }
      for (const harness of HARNESS_IDS) {
        const name = choices[harness]?.model ?? DEFAULT;
        if (MODEL.test(name)) continue;
        report.error(['agents', role, harness, 'model'], `${quoteWord(name)} cannot be the name of a model.`);
      }
    }
  });
  return agents;
}

/** Names of models, with the forms that clouds give them; they are written into files of other formats as they stand. */
const MODEL = /^[A-Za-z][\w.:/@[\]-]*$/;

/** As `readAgentChoices`, but a fault of the file, or in it, counts as no choice. */
export function readAgentChoicesIfPossible(read: () => string | null, roles: readonly string[]): AgentChoices {
  return readOr(
    () => readAgentChoices(read(), roles),
    () => ({}),
  );
}

/**
 * What the agent of a role is given in a harness, nothing where the harness decides: the role's own words go before those of `default`.
 */
export function chooseModel(choices: AgentChoices, role: string, harness: HarnessId): Pick<Agent, 'model' | 'effort'> {
  const [own, others] = [choices[role], choices[DEFAULT]];
  const effort = own?.[harness]?.effort ?? own?.effort ?? others?.[harness]?.effort ?? others?.effort;
  return {
    model: own?.[harness]?.model ?? others?.[harness]?.model,
    effort: HARNESSES[harness].hasNoEffort ? undefined : effort,
  };
}

/**
 * Says what a harness cannot be told.
 * @returns null where it can be told everything
 */
export function describeUntold(choices: AgentChoices, harness: HarnessId): string | null {
  const { hasNoEffort, title } = HARNESSES[harness];
  if (hasNoEffort !== true) return null;
  const roles = Object.entries(choices).filter(([, one]) => (one[harness]?.effort ?? one.effort) !== undefined);
  if (roles.length === 0) return null;
  const named = roles.map(([role]) => role).join(', ');
  return `${title} has no effort setting for agents, so the one in .dev/preferences.yaml has no effect there (${named}).`;
}
