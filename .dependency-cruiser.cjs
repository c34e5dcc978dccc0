// The rooms of src/ and which way imports run (docs/architecture.md). A planted violation in
// tests/contract/rooms.test.ts proves that this file bites.
const ABOVE_APP = [
  'store',
  'documents',
  'plan',
  'registry',
  'machine',
  'project',
  'recipe',
  'work',
  'run',
  'jobs',
  'blocks',
  'engine',
  'views',
  'protocol',
];
const MAY_IMPORT = {
  base: [],
  store: [],
  documents: [],
  plan: ['documents'],
  registry: [],
  machine: [],
  project: ['store'],
  recipe: ['documents', 'registry', 'machine', 'project'],
  work: [],
  run: ['store', 'documents', 'plan', 'machine', 'project', 'recipe', 'work'],
  jobs: ['store', 'work', 'run'],
  blocks: ['documents', 'plan', 'registry', 'machine', 'project', 'recipe', 'work', 'run', 'jobs'],
  engine: ['documents', 'plan', 'registry', 'machine', 'project', 'recipe', 'work', 'run', 'jobs', 'blocks'],
  views: ['store', 'documents', 'plan', 'registry', 'machine', 'recipe', 'run', 'blocks', 'engine'],
  protocol: ABOVE_APP,
  app: ABOVE_APP,
  mcp: ['protocol'],
  cli: ['registry', 'app', 'mcp'],
};

/** The rooms that add to the core; who may import them, `wings-apart` says. */
const WING = '^src/wings/([^/]+)/';

/** The core modules that wings may import besides `base/`: a closed list, so that it is noticed when a wing reaches further. */
const OPEN_TO_WINGS = `
  blocks: acknowledgement own-command plan-on-disk
  blocks/commands: command-context plan
  documents: command-words decision-edit foreign front-matter goals goals-edit handoff-file json-fault mark outline plan-text region report schema-faults schema-findings size-rules stored yaml-edit
  engine/act/plan: plan
  engine/act/prompts: review-questions
  engine/act/results: results
  engine/core: events final-stages rows step todo-machine triage
  jobs: detached job launch life records runner-process
  machine: block-kinds config defects engine-program events machine-config position program transition transitions workflow workflow-config workflow-program
  plan/check: suite-commands
  plan/markdown: parse place tokens visible
  plan/model: command-line commands graph paths schema template
  plan/page: boxes import-lines prose
  project: editor-schemas facts git-head gitignore layout own-places pointers root test-files trust wing-streams work-trees
  protocol: documents foreign-reader memory-context ports settle
  protocol/acknowledge: check-action complete
  protocol/control: abort invalidate
  protocol/find: find-run
  protocol/init: init prepare
  protocol/plan: decide
  protocol/approve: approve prepared
  protocol/questions: check home next notifier replay run-view timeline
  protocol/trust: autopilot digests person run-place trust
  recipe: captured declared external-commands own-commands resolved show template user-schema writes
  recipe/blocks: block-forms
  recipe/conditions: block-typing block-values conditions paths result-reader text
  recipe/lint: files lintable report
  recipe/load: compiled library load recipe-files shipped-texts
  recipe/resolve: draft
  recipe/settings: builtin-preferences project-settings project-settings-schema runtime-schema
  recipe/source: problem report validate yaml
  registry: endings render spec values
  run: action captured-recipe codec context cost engine-rows facts other-executions paths pending-action recipe-state simulation state transact transaction
  run/documents: lost pending recovery
  store: claim durable inside io layout lock memory process shared-files snapshot standing store texts
  views: action caller check history-text home list manifest manifest-sections replay-text run-view signs status timeline timeline-actions timeline-rows
  work: attempt-commits baseline commit-search content digest git git-command ignored notification pass-on paths processes recent-commits remote secret show-commit status trees
  work/shell: git options paths syntax words writes
`;

const rooms = Object.entries(MAY_IMPORT).map(([room, allowed]) => ({
  name: `room-${room}`,
  severity: 'error',
  comment: `src/${room}/ may import only ${['base', 'generated', ...allowed].join(', ')}.`,
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: [`^src/(${['base', 'generated', room, ...allowed].join('|')})/`, WING] },
}));

const openToWings = [...OPEN_TO_WINGS.matchAll(/(\S+): (.*)/g)].map(
  ([, directory, modules]) => `^src/${directory}/(${modules.replaceAll(' ', '|')})\\.ts$`,
);

const wings = [
  {
    name: 'wings-apart',
    severity: 'error',
    comment:
      'A wing is imported by ports.ts, wings.ts and the hot hooks of src/app/ alone (docs/architecture.md, How to add).',
    from: { path: '^src/', pathNot: ['^src/app/(ports|wings|judging|hearing)\\.ts$', WING] },
    to: { path: WING },
  },
  {
    name: 'wings-apart',
    severity: 'error',
    comment: 'No wing knows another (docs/architecture.md, How to add).',
    from: { path: WING },
    to: { path: WING, pathNot: '^src/wings/$1/' },
  },
  {
    name: 'room-wings',
    severity: 'error',
    comment: `A wing may import only ${['base', 'generated', ...ABOVE_APP].join(', ')}; of these, what OPEN_TO_WINGS lists.`,
    from: { path: WING },
    to: { path: '^src/', pathNot: ['^src/(base|generated)/', ...openToWings, WING] },
  },
];

/** The page's client runs in a browser: it knows the house by types, and by what is pure. */
const client = [
  {
    name: 'page-client',
    severity: 'error',
    comment: 'src/wings/page/client/ imports preact, types of wire.ts, and what is pure.',
    from: { path: '^src/wings/page/client/' },
    to: {
      pathNot: [
        '^src/wings/page/client/',
        '^src/(base/duration|plan/markdown/parse|views/signs)\\.ts$',
        '^src/wings/page/wire\\.ts$',
        'node_modules/preact/',
      ],
    },
  },
  {
    name: 'page-client',
    severity: 'error',
    comment: 'wire.ts has types alone.',
    from: { path: '^src/wings/page/client/' },
    to: { path: '^src/wings/page/wire\\.ts$', dependencyTypesNot: ['type-only'] },
  },
];

/** Rooms that may touch files: others ask a `Reader`, a `Files` or the store. The command line reads what it is given and prints. */
const MAY_TOUCH_FILES = [
  'store',
  'project',
  'work',
  'jobs',
  'wings/completion',
  'wings/conformance',
  'wings/fleet',
  'wings/harness',
  'wings/page',
  'wings/runtime',
  'cli',
];

/** Packages that belong to one room: the core stays pure and the rim stays the rim. */
const packages = [
  ['machine', 'xstate|@sinclair/typebox', 'src/machine/ uses no package but xstate, and typebox for its types.'],
  ['base', '@sinclair/typebox|fastest-levenshtein', 'src/base/ does no I/O.'],
  ['documents', 'jsonc-parser|yaml|@sinclair/typebox', 'src/documents/ is text in, text out.'],
  [
    'plan',
    'jsonc-parser|@sinclair/typebox|mdast-util-from-markdown|mdast-util-gfm-table|micromark-extension-gfm-table',
    'src/plan/ is text in, text out.',
  ],
  ['engine/core', 'xstate', 'src/engine/core/ is pure.'],
].map(([room, allowed, comment]) => ({
  name: `packages-${room.replace('/', '-')}`,
  severity: 'error',
  comment,
  from: { path: `^src/${room}/` },
  to: {
    pathNot: ['^(src/|package\\.json$)', `node_modules/(${allowed})/`, '^(node:)?(crypto|module)$'],
  },
}));

module.exports = {
  forbidden: [
    ...rooms,
    ...wings,
    ...client,
    {
      name: 'views-write-nothing',
      severity: 'error',
      comment: 'src/views/ knows what a store holds and can apply a patch, but calls no store.',
      from: { path: '^src/views/' },
      to: { path: '^src/store/', pathNot: '^src/store/snapshot\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    ...packages,
    {
      name: 'files',
      severity: 'error',
      comment: `node:fs is imported by ${MAY_TOUCH_FILES.join(', ')} alone.`,
      from: { path: '^src/', pathNot: `^src/(${MAY_TOUCH_FILES.join('|')})/` },
      to: { path: '^(node:)?fs(/promises)?$' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'No import cycles.',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/generated/' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'] },
  },
};
