import type { CheckedSchema } from '../../documents/schema-faults.js';
import outline from '../../generated/loop-config-outline.js';
import type { YamlSource } from '../../recipe/source/yaml.js';
import { type BaselineLimits, DEFAULT_BASELINE_LIMITS } from './core/baseline.js';
import { createFindingCollector, type FindingCollector, findProjectPathFault, stripLeadingDot } from './findings.js';
import type { LoopConfigFile } from './schemas.js';
import { parseTemplate } from './template.js';

/** The configuration of the loop: `.ai/config.yaml` (loop-core.md, Files). */

export const CONFIG = '.ai/config.yaml';

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/loop-config.js').default };

/** The configuration with defaults filled in. */
export interface LoopConfig
  extends Required<
    Omit<
      LoopConfigFile,
      'limits' | 'queue' | 'observe' | 'fleet' | 'cost' | 'max_context_bytes' | 'protected_paths' | 'worktree_copy'
    >
  > {
  limits: { minutes: number; sessions: number; failures_in_a_row: number; cost_usd: number | null };
  queue: { ttl_minutes: number; max_ttl_minutes: number; per_worker: number };
  observe: BaselineLimits;
  /** The fleet that works on the goals; null if only one machine does. */
  fleet: FleetSetting | null;
  /** JSON pointer to the cost in the last line that a session prints; null if sessions do not say what they cost. */
  cost: string | null;
  /** Paths without a leading `./`; those of `worktree_copy` have none either. */
  protected_paths: string[];
  worktree_copy: string[];
}

/** The project that a fleet works on (fleet.md, Commands). */
export interface FleetSetting {
  project: string;
  remote: string;
  onto: string | null;
}

const DEFAULTS = {
  ai_tools: {},
  timeout_minutes: 30,
  test_timeout_minutes: 15,
  max_retries: 3,
  worktree_setup: [],
  backoff_minutes: [1, 5, 15],
} as const satisfies Partial<LoopConfigFile>;

const QUEUE = { ttl_minutes: 30, max_ttl_minutes: 240, per_worker: 1 };
const LIMITS = { minutes: 480, sessions: 50, failures_in_a_row: 3, cost_usd: null };

/** Validates a configuration. @returns null if there is anything worse than a warning */
export function checkConfig(
  source: YamlSource,
): { config: LoopConfig | null } & Pick<FindingCollector, 'problems' | 'warnings'> {
  const findings = createFindingCollector(source);
  const { problems, warnings } = findings;
  const value = source.value === undefined ? null : findings.check(SCHEMA, source.value, '');
  if (value === null || problems.length > 0) return { config: null, problems, warnings };
  const {
    limits,
    queue,
    observe,
    fleet,
    cost,
    protected_paths = [],
    worktree_copy = [],
    max_context_bytes: _,
    ...file
  } = value as LoopConfigFile;
  const templates = { ai_tool: file.ai_tool, ...prefixed(file.ai_tools ?? {}) };
  for (const [place, line] of Object.entries(templates)) {
    const read = parseTemplate(line);
    if ('problem' in read) findings.report(`/${place}`, `cannot be a tool: ${read.problem}`);
  }
  worktree_copy.forEach((path, at) => {
    const fault = findProjectPathFault(path) ?? findOwnFault(path);
    if (fault !== null) findings.report(`/worktree_copy/${at}`, fault);
  });
  const config: LoopConfig = {
    ...DEFAULTS,
    ...file,
    ai_tools: file.ai_tools ?? {},
    worktree_setup: file.worktree_setup ?? [],
    backoff_minutes: file.backoff_minutes ?? [...DEFAULTS.backoff_minutes],
    limits: { ...LIMITS, ...limits },
    queue: { ...QUEUE, ...queue },
    observe: { ...DEFAULT_BASELINE_LIMITS, ...observe },
    fleet: fleet === undefined ? null : { remote: 'origin', onto: null, ...fleet },
    cost: cost ?? null,
    protected_paths: protected_paths.map(stripLeadingDot),
    worktree_copy: worktree_copy.map(stripLeadingDot),
  };
  return { config: problems.length > 0 ? null : config, problems, warnings };
}

/** Rejects paths that must not be copied, because each work tree has its own `.git`, `.ai` and `.dev`. */
function findOwnFault(path: string): string | null {
  const [first = ''] = stripLeadingDot(path).split('/');
  return ['', '.', '.git', '.ai', '.dev'].includes(first)
    ? `is ${JSON.stringify(path)}, of which each work tree has its own.`
    : null;
}

const prefixed = (tools: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(tools).map(([name, line]) => [`ai_tools/${name}`, line]));
