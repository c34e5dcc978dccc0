import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { analysisSave } from './analysis.js';
import { checkDocument } from './check.js';
import { cleanup } from './cleanup.js';
import { draftAutoAssume, draftImport, draftShow, draftUpdate, draftValidate } from './draft.js';
import { planGenerate, planSummaryCommand, planTemplateCommand, planValidate } from './plan.js';
import type { Outcome, Scene } from './scene.js';

/**
 * Executes one of the commands that may stand in a recipe, over the documents of a scene (recipes.md, Commands).
 * The only way to them: by hand and from a recipe alike.
 * @throws what the command throws; DevCliError `INTERNAL` for any other command, which lint refuses
 */
export function runOwnCommand(invocation: Invocation, scene: Scene): Outcome {
  const { command, input } = invocation;
  switch (command) {
    case 'draft update':
      return draftUpdate(scene, input);
    case 'draft show':
      return draftShow(scene, input);
    case 'draft validate':
      return draftValidate(scene);
    case 'draft import':
      return draftImport(scene);
    case 'draft auto-assume':
      return draftAutoAssume(scene);
    case 'plan template':
      return planTemplateCommand();
    case 'plan generate':
      return planGenerate(scene, input);
    case 'plan validate':
      return planValidate(scene, input);
    case 'plan summary':
      return planSummaryCommand(scene);
    case 'analysis save':
      return analysisSave(scene, input);
    case 'cleanup':
      return cleanup(scene);
    case 'check': {
      const path = String(input['subject'] ?? '');
      const text = scene.files.text(path);
      const checked = checkDocument(path, text ?? '');
      const problems = text === null ? [{ target: path, problem: 'not written' }] : checked.problems;
      return {
        ok: problems.length === 0,
        report: { file: path, kind: checked.kind, problems: problems.map((problem) => ({ ...problem })) },
        summary: problems.length === 0 ? `${path} checks out` : `${path}: ${problems.length} problems`,
      };
    }
    default:
      throw new DevCliError('INTERNAL', `"${command}" cannot run inside a recipe.`);
  }
}
