import { expect, it } from 'vitest';
import { StandIn } from '../support/agent.mjs';
import { devCli, writeProjectFile } from '../support/cli.js';
import { simpleCrew } from '../support/crew.mjs';
import { project, useProject } from '../support/each-project.js';
import { commitsOf, git, reportOf } from '../support/executing.js';

// plans-from-elsewhere.md, plan import: an imported plan is carried out to its end like any other.

useProject({ sample: null });

const CHANGE = 'openspec/changes/add-words';

const SOURCES: Record<string, { source: string; files: Record<string, string>; todos: string[]; subjects: string[] }> =
  {
    openspec: {
      source: CHANGE,
      files: {
        [`${CHANGE}/proposal.md`]: '# Words\n\n## Why\n\nThere are none.\n\n## What Changes\n\n- Words\n',
        [`${CHANGE}/design.md`]: '## Decisions\n\n- Files of text\n\n## Risks\n\n- None is read\n',
        [`${CHANGE}/specs/words/spec.md`]:
          '## ADDED Requirements\n\n### Requirement: Words\n\nThere SHALL be words.\n\n#### Scenario: Read\n\n- **THEN** one reads\n',
        [`${CHANGE}/tasks.md`]:
          '- [x] 1.0 Think\n- [ ] 1.1 Write `made/task-1-1.txt`; run `test -f made/task-1-1.txt` to verify\n- [ ] 1.2 Write `made/task-1-2.txt`\n',
      },
      todos: ['task-1-1', 'task-1-2', 'check-requirements'],
      subjects: [],
    },
    speckit: {
      source: 'work.md',
      files: {
        'work.md':
          '- [ ] T001 Write made/T001.txt\n- [ ] T002 [P] Write made/T002.txt\n- [ ] T003 [P] Write made/T003.txt 👩‍👩‍👧‍👦 実装する\n',
      },
      todos: ['T001', 'T002', 'T003'],
      subjects: [],
    },
    superpowers: {
      source: 'plan.md',
      files: {
        'plan.md':
          '# Words Implementation Plan\n\n### Task 1: Words\n\n**Files:**\n- Create: `made/task-1.txt`\n\n**Step 1: Write them**\n\nRun: `test -f made/task-1.txt`\nExpected: PASS\n\n**Step 2: Commit**\n\n```bash\ngit commit -m "feat: words"\n```\n',
      },
      todos: ['task-1'],
      subjects: ['feat: words'],
    },
  };

it.each(Object.entries(SOURCES))('a plan of %s', (format, { source, files, todos, subjects }) => {
  for (const [path, text] of Object.entries(files)) writeProjectFile(project, path, text);
  writeProjectFile(project, 'other.md', '- Something else\n');
  git(project, 'add', '-A');
  git(project, 'commit', '-qm', 'plan');
  expect(devCli(project, ['plan', 'import', 'words', source]).json).toMatchObject({ ok: true, format });
  const agent = new StandIn({ project, name: 'words', crew: simpleCrew() });
  expect(agent.drive(agent.execute('--execute --autopilot'))).toMatchObject({ outcome: 'completed' });
  const commits = commitsOf(project);
  expect(commits.map(({ todo }) => todo).sort()).toEqual(todos.filter((id) => id !== 'check-requirements').sort());
  expect(commits.map(({ subject }) => subject)).toEqual(expect.arrayContaining(subjects));
  for (const id of todos) expect(reportOf(project, 'words')).toContain(id);
  expect(devCli(project, ['plan', 'import', 'words', 'other.md']).json).toMatchObject({
    error: { code: 'PLAN_CONFLICT' },
  });
});
