// door: plan

import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { renderCount } from '../../base/words.js';
import { saveAnalysis } from './analysis.js';
import { checkDocument } from './check.js';
import { cleanUp } from './cleanup.js';
import type { CommandContext, CommandReport } from './command-context.js';
import { assumeInDraft, importIntoDraft, showDraft, updateDraftCommand, validateDraft } from './draft.js';
import { generatePlan, showPlanTemplate, summarizePlan, validatePlan } from './plan.js';

/**
 * Executes one of the commands that a recipe may contain (recipes.md, Commands). Calls by hand and from a recipe both
 * come here.
 * @throws what the command throws; DevCliError `INTERNAL` for any other command, which lint refuses
 */
export function runOwnCommand(invocation: Invocation, scene: CommandContext): CommandReport {
  const { command, input } = invocation;
  switch (command) {
    case 'draft update':
      return updateDraftCommand(scene, input);
    case 'draft show':
      return showDraft(scene, input);
    case 'draft validate':
      return validateDraft(scene);
    case 'draft import':
      return importIntoDraft(scene);
    case 'draft auto-assume':
      return assumeInDraft(scene);
    case 'plan template':
      return showPlanTemplate();
    case 'plan generate':
      return generatePlan(scene, input);
    case 'plan validate':
      return validatePlan(scene, input);
    case 'plan summary':
      return summarizePlan(scene);
    case 'analysis save':
      return saveAnalysis(scene, input);
    case 'cleanup':
      return cleanUp(scene);
    case 'check': {
      const path = String(input['subject'] ?? '');
      const text = scene.files.text(path);
      const checked = checkDocument(path, text ?? '');
      const problems = text === null ? [{ target: path, problem: 'not written' }] : checked.problems;
      return {
        ok: problems.length === 0,
        report: { file: path, kind: checked.kind, problems: problems.map((problem) => ({ ...problem })) },
        summary: problems.length === 0 ? `${path} checks out` : `${path}: ${renderCount(problems.length, 'problem')}`,
      };
    }
    default:
      throw new DevCliError('INTERNAL', `"${command}" cannot run inside a recipe.`);
  }
}
