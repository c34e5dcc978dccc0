import { DevCliError } from '../../base/errors.js';
import { listSchemaFaults, type Validator } from '../../documents/schema-faults.js';
import { describeFaults } from '../../documents/schema-findings.js';
import validateCycle from '../../generated/nexus-cycle.js';
import validatePlan from '../../generated/nexus-plan.js';
import validateTasks from '../../generated/nexus-tasks.js';
import validateTracker from '../../generated/nexus-tracker.js';
import type { FileKindCheck } from '../../protocol/ports.js';
import type { DocumentFindings } from '../../views/check.js';
import { CONTRACT_FILES, type ContractFiles, type FileKey, NEXUS_DIRECTORY, parseFile } from './files.js';

/** The checks of `check FILE` for the files of the contract (neutral.md, Doors). */
export const CHECKS: readonly FileKindCheck[] = [
  createCheck('plan', validatePlan),
  createCheck('tasks', validateTasks),
  createCheck('tracker', validateTracker),
  {
    kind: 'nexus-history',
    covers: (path) => path === `${NEXUS_DIRECTORY}/${CONTRACT_FILES.history}`,
    judge: (text) =>
      judgeParsed('history', text, ({ cycles }) => ({
        problems: [],
        warnings: cycles.flatMap((cycle, at) => ('schema_version' in cycle ? [] : judgeCycle(cycle, at))),
      })),
  },
];

function createCheck(key: 'plan' | 'tasks' | 'tracker', validate: Validator): FileKindCheck {
  return {
    kind: `nexus-${key}`,
    covers: (path) => path === `${NEXUS_DIRECTORY}/${CONTRACT_FILES[key]}`,
    judge: (text) =>
      judgeParsed(key, text, (value) => ({
        problems: describeFaults(listSchemaFaults(validate, value)),
        warnings: [],
      })),
  };
}

/** Lists the faults of a cycle as warnings; they cannot be errors, because nobody may change a cycle to fix them. */
function judgeCycle(cycle: unknown, at: number): string[] {
  return describeFaults(listSchemaFaults(validateCycle, cycle)).map(
    ({ pointer = '', problem }) => `cycle ${at + 1}: ${pointer} ${problem}`,
  );
}

function judgeParsed<Key extends FileKey>(
  key: Key,
  text: string,
  judge: (value: ContractFiles[Key]) => DocumentFindings,
): DocumentFindings {
  try {
    const value = parseFile(key, Buffer.from(text));
    return value === null ? { problems: [], warnings: [] } : judge(value);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return { problems: [{ problem: error.message }], warnings: [] };
  }
}
