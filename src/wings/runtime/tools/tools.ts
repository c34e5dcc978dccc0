import { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { toIoError } from '../../../store/io.js';
import { type CommandSite, planBash } from './bash.js';
import { globFiles } from './glob.js';
import { grepFiles } from './grep.js';
import { type ReadMarks, readFile } from './read.js';
import { SPECS } from './specs.js';
import { type CallPlan, type SessionTool, ToolRefusal, type ToolResult, type ToolScope } from './tool.js';
import { planEdit, planWrite } from './write.js';

/** The parts of a session that its tools need. */
export interface ToolsOptions extends CommandSite {
  marks: ReadMarks;
}

/**
 * Creates the six tools of a session (runtime.md, Tools). Faults of files and processes are reported to the model: a
 * call throws `ToolRefusal` in `prepare`, and otherwise only DevCliError `INTERRUPTED`.
 */
export function createTools({ marks, ...how }: ToolsOptions): SessionTool[] {
  const read = (run: () => ToolResult | Promise<ToolResult>): CallPlan => ({ kind: 'read', run: async () => run() });
  // Each input has been validated by its schema.
  const plans: Record<keyof typeof SPECS, (input: never, site: ToolScope) => CallPlan> = {
    read_file: (input, site) => read(() => readFile(input, site, marks)),
    glob_search: (input, site) => read(() => globFiles(input, site)),
    grep_search: (input, site) => read(() => grepFiles(input, site)),
    write_file: (input, site) => planWrite(input, site, marks),
    edit_file: (input, site) => planEdit(input, site, marks),
    bash: (input, site) => planBash(input, site, how),
  };
  return (Object.keys(plans) as (keyof typeof SPECS)[]).map((name) => {
    const { alias, needs, description, schema } = SPECS[name];
    return {
      ...{ name, description, schema },
      needs: name === 'bash' && how.sandbox !== null ? 'workspace-write' : needs,
      isParallel: needs === 'read-only',
      target: ({ path = '.', command }) => (name === 'bash' ? { command: String(command) } : { path: String(path) }),
      toHook: ({ path, ...rest }) => {
        const key = name.endsWith('_file') ? 'file_path' : 'path';
        return { tool: alias, input: path === undefined ? rest : { [key]: path, ...rest } };
      },
      prepare: async (input, site) => tellFaults(name, () => plans[name](input as never, site), site),
    } satisfies SessionTool;
  });
}

function tellFaults(name: string, prepare: () => CallPlan, site: ToolScope): CallPlan {
  const tell = (error: unknown): string => site.clean(describeFault(name, error, site));
  const attempt = (work: () => Promise<ToolResult>) => () =>
    work().catch((error: unknown) => ({ output: tell(error), isError: true }));
  try {
    const plan = prepare();
    return plan.kind === 'file' ? { ...plan, write: attempt(plan.write) } : { ...plan, run: attempt(plan.run) };
  } catch (error) {
    throw new ToolRefusal(tell(error));
  }
}

/** Describes a fault of the call to the model. @throws any error that is not the call's fault */
function describeFault(name: string, error: unknown, { workTree }: ToolScope): string {
  if (error instanceof ToolRefusal) return error.message;
  const told = toIoError(error, workTree, workTree);
  if (!(told instanceof DevCliError) || told.code === 'INTERRUPTED') throw error;
  return `${name}: ${toBoundedLine(told.message, 1_000)}`;
}
