import { HARNESS_IDS, type HarnessId } from '../../../generated/harnesses.js';
import { readProjectSettings } from '../../../recipe/settings/project-settings.js';
import type { ProjectSettings } from '../../../recipe/settings/project-settings-schema.js';
import { quoteSuggestion, quoteWord } from '../../../recipe/source/yaml.js';
import type { ShippedAgent } from '../adapter.js';
import { HARNESSES } from '../harness.js';
import { readOr } from './disk.js';

/**
 * Chooses models and efforts of installed agents from a project's preferences (harness.md, Models and effort). Pure.
 */

/** The choices for agents, by role; `default` applies to every other role. */
export type AgentChoices = NonNullable<ProjectSettings['agents']>;

/** The key of the choices for all other roles. */
const DEFAULT = 'default';

/**
 * Reads the choices for agents from .dev/preferences.yaml.
 * @param text content of the file; null if there is none
 * @param roles the roles for which `install` writes agents
 * @throws DevCliError `PREFERENCES_INVALID`, which lists every problem and where it is
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
        report.error(['agents', role, 'model'], 'Each harness has its own names for models.', {
          at: 'key',
          fix: `Put the model below the harness, such as \`${HARNESS_IDS[0]}: { model: ${JSON.stringify(model).slice(0, 60)} }\`.`,
        });
      }
      for (const harness of HARNESS_IDS) {
        const name = choices[harness]?.model ?? DEFAULT;
        if (MODEL.test(name)) continue;
        report.error(['agents', role, harness, 'model'], `${quoteWord(name)} is not a valid model name.`);
      }
    }
  });
  return agents;
}

/**
 * Matches the names of models, including those of cloud providers. It admits no character that would need escaping,
 * because `install` inserts a name as it is into Markdown and TOML files.
 */
const MODEL = /^[A-Za-z][\w.:/@[\]-]*$/;

/** Reads choices as `readAgentChoices`, but an invalid or unreadable file counts as no choice. */
export function readAgentChoicesIfPossible(read: () => string | null, roles: readonly string[]): AgentChoices {
  return readOr(
    () => readAgentChoices(read(), roles),
    () => ({}),
  );
}

/**
 * Returns the model and effort for a role in a harness; undefined lets the harness decide. The role's own choices take
 * precedence over `default`.
 */
export function chooseAgentModel(
  choices: AgentChoices,
  role: string,
  harness: HarnessId,
): Pick<ShippedAgent, 'model' | 'effort'> {
  const [own, others] = [choices[role], choices[DEFAULT]];
  const effort = own?.[harness]?.effort ?? own?.effort ?? others?.[harness]?.effort ?? others?.effort;
  return {
    model: own?.[harness]?.model ?? others?.[harness]?.model,
    effort: HARNESSES[harness].hasNoEffort ? undefined : effort,
  };
}

/**
 * Describes choices that cannot be applied in a harness.
 * @returns null if all can be applied
 */
export function describeUnappliedChoices(choices: AgentChoices, harness: HarnessId): string | null {
  const { hasNoEffort, title } = HARNESSES[harness];
  if (hasNoEffort !== true) return null;
  const roles = Object.entries(choices).filter(([, one]) => (one[harness]?.effort ?? one.effort) !== undefined);
  if (roles.length === 0) return null;
  const named = roles.map(([role]) => role).join(', ');
  return `${title} has no effort setting for agents, so the one in .dev/preferences.yaml has no effect there (${named}).`;
}
