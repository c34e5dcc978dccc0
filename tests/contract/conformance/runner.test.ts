import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFiles } from '../../../src/wings/conformance/case.js';
import { devCli } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// neutral.md, Conformance: tries the runner on programs that are not servers, and on a stranger's server.

useProject();

interface Report {
  passed: number;
  failed: number;
  errors: number;
  unsupported: number;
  cases: {
    id: string;
    verdict: string;
    why?: string;
    failures?: { path: string; expected: string; actual: string }[];
  }[];
  requirements: { id: string; verdict: string }[];
}

function write(name: string, content: string): string {
  const path = join(project.root, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Runs cases against the server that `args` name, and returns the report. */
function run(...args: string[]): Report & { code: number } {
  const { code, json } = devCli(project, ['conformance', 'run', ...args, '--json']);
  return { ...(json as unknown as Report), code };
}

const ONE = ['--suite', 'own', '--only', 'plan_status_without_a_plan'];
const STRANGER = resolve('tests/conformance/stranger.mjs');
const LINES = "require('readline').createInterface({ input: process.stdin }).on('line', (line) => {";

describe('a server that gives no answer is an error, never a pass', () => {
  it.each([
    ['that is not there', null, 30, /ENOENT/],
    ['that ends at once, with 0', 'console.error("no\\nconfiguration")', 30, /ends: no \/ configuration$/],
    ['that dies', 'console.error("out of luck"); process.exit(9)', 30, /ends: out of luck$/],
    ['that echoes', `${LINES} console.log(line) })`, 30, /did not start/],
    ['that answers {} to everything', `${LINES} console.log('{}') })`, 1, /did not start|no answer|timed out/],
    [
      'that answers with another id',
      `${LINES} console.log('{"jsonrpc":"2.0","id":77,"result":{}}') })`,
      1,
      /timed out/,
    ],
    [
      'that answers {} to the first call, too',
      `${LINES} const { id } = JSON.parse(line); console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} })) })`,
      30,
      /did not start/,
    ],
    ['that speaks no protocol', `${LINES} console.log('What?') })`, 1, /timed out/],
    ['that is silent', 'process.stdin.resume()', 1, /timed out/],
  ] as const)('%s', (_, script, seconds, why) => {
    const program = script === null ? '/no/such/server' : `node ${write('server.cjs', script)}`;
    const report = run('--server', program, ...ONE, '--timeout', String(seconds));
    expect(report).toMatchObject({ code: 3, passed: 0, failed: 0, errors: 1 });
    expect(report.cases[0]?.why).toMatch(why);
    expect(report.cases[0]?.why).not.toContain('\n');
  });

  it.each([
    ['that is not there', '/no/such/command {call}', 30, /could not be run/],
    [
      'that does not start',
      'node /no/such/command.cjs',
      30,
      /exit code 1 and printed no JSON object; its standard error ends/,
    ],
    ['that fails, and says nothing', 'false', 30, /^false ended with exit code 1 and printed no JSON object$/],
    ['that is killed', 'node -e "process.kill(process.pid, 9)"', 30, /was ended by SIGKILL/],
    ['that prints no JSON', 'echo {call}', 30, /printed no JSON object/],
    ['that does not end', 'sleep 30', 1, /gave no answer in 1 s/],
  ] as const)('a command %s', (_, command, seconds, why) => {
    const refused = ['--suite', 'own', '--only', 'plan_start_without_research'];
    const report = run('--command', command, ...refused, '--timeout', String(seconds));
    expect(report).toMatchObject({ code: 3, passed: 0, failed: 0, errors: 1 });
    expect(report.cases[0]?.why).toMatch(why);
  });

  it('one that removes its directory has failed', () => {
    const script = "require('fs').rmSync(process.cwd(), { recursive: true }); console.log('{\"active\": false}')";
    const report = run('--command', `node ${write('remove.cjs', script)}`, ...ONE);
    expect(report).toMatchObject({ code: 3, failed: 1 });
  });

  it('and the cases after the first ones are not waited for', () => {
    const report = run('--server', '/no/such/server', '--suite', 'published');
    expect(report).toMatchObject({ code: 3, passed: 0, failed: 0, errors: 43, unsupported: 5 });
    expect(report.cases.filter(({ why }) => why?.startsWith('not tried')).length).toBeGreaterThan(30);
  });
});

describe('what is looked at after a call', () => {
  it('links, locks that are directories and files of any size are seen; what is gone is not there', () => {
    const root = join(project.root, 'seen');
    mkdirSync(join(root, '.nexus/state/tasks.json.lock'), { recursive: true });
    mkdirSync(join(root, '.git'));
    symlinkSync('/etc', join(root, '.nexus/link'));
    writeFileSync(join(root, '.nexus/large'), '');
    truncateSync(join(root, '.nexus/large'), 3 * 1024 ** 3);
    writeFileSync(join(root, '.nexus/bytes'), Buffer.from([255]));
    expect(Object.fromEntries(readFiles(root))).toEqual({
      '.nexus/state/tasks.json.lock': 'a directory',
      '.nexus/link': 'a link to /etc',
      '.nexus/large': 'no regular file, or one of more than 64 MiB',
      '.nexus/bytes': 'base64:/w==',
    });
    expect(readFiles(join(project.root, 'none')).size).toBe(0);
  });

  it('only in the directory of the case: git is not led out of it', () => {
    const head = () => readFileSync(join(project.root, '.git/HEAD'), 'utf8');
    const before = head();
    const target = ['--command', `node ${STRANGER} {call} {params}`, '--suite', 'own', '--only', 'context_detached'];
    const env = { GIT_DIR: join(project.root, '.git') };
    expect(devCli(project, ['conformance', 'run', ...target], { env }).code).toBe(0);
    expect(head()).toBe(before);
  });

  it('a call that is refused breaks nothing of what is written', () => {
    const only = ['--only', 'readers_keep_every_byte,changes_leave_no_lock,parameters_read_kindly', '--strict'];
    const report = run('--command', `echo '{"error": "Unknown tool"}'`, '--suite', 'own', ...only);
    expect(report).toMatchObject({ code: 3, failed: 3 });
    expect(report.requirements.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []))).toEqual(['all.9']);
    expect(report.cases.map(({ failures }) => failures?.length)).toEqual([1, 1, 1]);
  });
});

describe('what would be passed over is refused', () => {
  it.each([
    ['--only', 'task_add,zzz', '"zzz"'],
    ['--only', 'unusable_tasks', '"unusable_tasks"'],
    ['--rename', 'plan_decide.sumary=decision', '"plan_decide.sumary"'],
    ['--timeout', '0', 'out of these bounds'],
    ['--timeout', '99999999', 'out of these bounds'],
  ])('%s %s', (option, value, problem) => {
    const { code, json } = devCli(project, ['conformance', 'run', '--self', option, value, '--json']);
    expect([code, json.error?.code]).toEqual([2, 'USAGE']);
    expect(json.error?.details).toMatchObject([{ target: option, problem: expect.stringContaining(problem) }]);
  });
});

describe('a stranger, whose server is correct', () => {
  const target = ['--server', `node ${STRANGER}`, '--command', `node ${STRANGER} {call} {params}`];

  it('passes all that the contract says, and no more', () => {
    const report = run(...target, '--suite', 'own');
    expect(report.cases.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(report.requirements.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    const strict = run(
      ...target,
      '--suite',
      'own',
      '--strict',
      '--only',
      'plan_decide_again,unusable_tasks,agent_spawn_known',
    );
    expect(strict).toMatchObject({ code: 3, passed: 0, failed: 3 });
  });

  it('is told apart by the requirement that it breaks, in one line each', () => {
    const command = `node ${write('late.mjs', `process.argv[3] = process.argv[3].replace('edit', 'add'); await import(${JSON.stringify(STRANGER)});`)}`;
    const { code, stdout } = devCli(project, [
      'conformance',
      'run',
      '--command',
      `${command} {call} {params}`,
      '--suite',
      'own',
      '--only',
      'plan_update_edits_a_title',
    ]);
    expect(code).toBe(3);
    expect(stdout).toContain('broken: plan_update.3 ');
    expect(stdout).toContain('  all.10: plan_update: expected an object with exactly edited, issue, got {"added":true');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed, 0 errors, 0 unsupported of 1');
  });

  it('under other names', () => {
    const command = `node ${write('other.mjs', `const [, , name, given] = process.argv; process.argv[2] = name.replace('finish', 'task_close'); process.argv[3] = given.replace('"nr"', '"issue_id"'); await import(${JSON.stringify(STRANGER)});`)} {call} {params}`;
    const names = ['--rename', 'task_close=finish', '--rename', 'plan_decide.issue_id=nr'];
    const report = run(
      '--command',
      command,
      ...names,
      '--suite',
      'own',
      '--only',
      'task_close_nothing,plan_decide_the_last',
    );
    expect(report).toMatchObject({ code: 0, passed: 2 });
  });

  it('is not told of events without a command', () => {
    const report = run('--server', `node ${STRANGER}`, '--suite', 'own', '--only', 'agent_spawn_appends');
    expect(report).toMatchObject({ code: 3, unsupported: 1 });
  });
});

describe('dev-cli itself', () => {
  it('passes by the server and by the command', () => {
    const report = run(
      '--self',
      '--strict',
      '--only',
      'task_close_a_cycle,agent_complete_one,artifact_write_stays_inside',
    );
    expect(report.cases).toEqual([
      { id: 'artifact_write_stays_inside', suite: 'own', verdict: 'pass' },
      { id: 'agent_complete_one', suite: 'own', verdict: 'pass' },
      { id: 'task_close_a_cycle', suite: 'own', verdict: 'pass' },
    ]);
  });
});

describe('fixtures that are none', () => {
  const sound = {
    format: 2,
    test_id: 'mine',
    description: 'A case of my own',
    requires: ['plan_status.1'],
    action: { tool: 'plan_status', params: {} },
    postcondition: { return_value: { '$.active': false } },
  };
  const judge = (fixtures: unknown) => {
    write('suite/plan/mine.json', typeof fixtures === 'string' ? fixtures : JSON.stringify(fixtures));
    return devCli(project, ['conformance', 'validate', 'suite', '--json']);
  };

  it.each([
    ['no JSON', '{', /not JSON/, '/'],
    ['an unknown key', { ...sound, until: 3 }, /until/, '/'],
    [
      'an unknown matcher',
      { ...sound, postcondition: { return_value: { '$.active': { is: false } } } },
      /is/,
      '/postcondition',
    ],
    ['an id twice', [sound, sound], /the id mine is also/, undefined],
    ['a path that leads out', { ...sound, precondition: { state_files: { '../x': {} } } }, /\.\.\/x leads out/, '/'],
    ['an unknown token', { ...sound, precondition: { text: { '{HOME}/x': '' } } }, /\{HOME\} is no token/, '/'],
    [
      'a pattern that is none',
      { ...sound, postcondition: { return_value: { '$.active': { type: 'string', pattern: '(' } } } },
      /Invalid regular expression/,
      '/',
    ],
    [
      'a reference to what has not answered',
      { ...sound, action: { tool: 'plan_decide', params: { issue_id: { ref: '1:$.issue.id' } } } },
      /1:\$\.issue\.id refers to no earlier step/,
      '/',
    ],
    ['no assertion', { ...sound, postcondition: {} }, /mine asserts nothing/, '/'],
    ['no path', { ...sound, postcondition: { return_value: { active: false } } }, /./, '/postcondition'],
  ])('%s', (_, fixtures, problem, pointer) => {
    const { code, json } = judge(fixtures);
    expect([2, 3]).toContain(code);
    const details = json.error?.details as { target: string; pointer?: string; problem: string }[] | undefined;
    expect(details?.map((one) => one.problem).join()).toMatch(problem);
    expect(details?.[0]?.target).toBe('plan/mine.json');
    if (pointer !== undefined && pointer !== '/') expect(details?.[0]?.pointer).toContain(pointer);
  });

  it('a directory without any', () => {
    mkdirSync(join(project.root, 'suite'));
    const { code, json } = devCli(project, ['conformance', 'validate', 'suite', '--json']);
    expect([code, json.error?.code]).toEqual([2, 'USAGE']);
    expect(devCli(project, ['conformance', 'run', '--self', '--suite', 'suite', '--json']).code).toBe(2);
  });

  it('files that cannot be written are an error of that case', () => {
    write('suite/plan/mine.json', JSON.stringify({ ...sound, precondition: { text: { 'a/': 'x' } } }));
    const report = run('--command', 'echo {}', '--suite', 'suite');
    expect(report).toMatchObject({ code: 3, errors: 1 });
    expect(report.cases[0]?.why).toMatch(/^the files of the case cannot be written: EISDIR.*\{root\}/);
  });

  it('a sound one is judged by what it claims', () => {
    const judged = judge(sound);
    expect(judged.code).toBe(0);
    // For a suite that is not shipped, each schema that none of its cases covers gives one finding.
    expect(judged.json['findings']).toHaveLength(5);
    const claims = { ...sound, covers: { return_value: { plan_status: ['topic'] } } };
    const { code, json } = judge(claims);
    expect(code).toBe(3);
    expect(json['findings']).toContainEqual(
      expect.objectContaining({ case: 'mine', severity: 'error', problem: expect.stringContaining('topic') }),
    );
    expect(judge({ ...sound, requires: ['plan_status.9'] }).code).toBe(3);
  });
});

describe('the suites that ship', () => {
  it('prove what they claim; where the published one does not, that is noted', () => {
    const { code, json } = devCli(project, ['conformance', 'validate', '--json']);
    const findings = json['findings'] as { suite: string; severity: string; problem: string }[];
    expect(code).toBe(0);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(findings.filter(({ problem }) => problem.startsWith('it claims'))).toHaveLength(46);
  });
});
