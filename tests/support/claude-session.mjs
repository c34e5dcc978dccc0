import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StandInError } from './agent.mjs';
import { CHECKOUT } from './project.mjs';

/**
 * A session of Claude Code without a model. Its commands and writes are real, and it calls the hooks in the project's
 * settings as the harness does, with payloads recorded from the harness (tests/fixtures/harness).
 */

/**
 * @typedef {Record<string, unknown> & { hook_event_name: string, tool_name?: string, source?: string }} Payload
 * @typedef {{ matcher?: string, hooks: { command: string }[] }} Hooks
 */

const RECORDED = readFileSync(join(CHECKOUT, 'tests/fixtures/harness/claude.jsonl'), 'utf8').trim().split('\n');

export class ClaudeSession {
  /**
   * @param {import('./project.mjs').Project} project
   * @param {string} id the session's id
   */
  constructor(project, id) {
    this.project = project;
    this.id = id;
  }

  /**
   * Begins the session, or continues it after a compaction.
   * @param {'startup' | 'compact'} source
   * @returns {string} the context that the hooks add
   */
  start(source) {
    const [said = '{}'] = this.#hear('SessionStart', { source }, {});
    return JSON.parse(said).hookSpecificOutput?.additionalContext ?? '';
  }

  /** @param {string} prompt the person's prompt */
  ask(prompt) {
    this.#hear('UserPromptSubmit', {}, { prompt });
  }

  /** @param {string} text the agent's last message when it stops */
  stop(text) {
    this.#hear('Stop', {}, { last_assistant_message: text });
  }

  /**
   * Runs a command line. If the command fails, no hook is called after it, as in the harness.
   * @param {string} command
   */
  run(command) {
    const tool = { tool_name: 'Bash' };
    const call = { tool_input: { command, description: 'run a command' } };
    this.#hear('PreToolUse', tool, call);
    const ran = this.#shell(command, { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: this.id });
    if (ran.status === 0) this.#hear('PostToolUse', tool, call);
    return ran;
  }

  /**
   * @param {string} path relative to the root
   * @param {string} content
   */
  write(path, content) {
    const tool = { tool_name: 'Write' };
    const target = join(this.project.root, path);
    const call = { tool_input: { file_path: target, content } };
    this.#hear('PreToolUse', tool, call);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    this.#hear('PostToolUse', tool, call);
  }

  /**
   * @param {string} event
   * @param {{ tool_name?: string, source?: string }} like selects the recorded payload to send
   * @param {object} changes the members that differ in this session
   * @returns {string[]} the output of the hooks that print something
   */
  #hear(event, like, changes) {
    const { root } = this.project;
    const wanted = Object.entries({ hook_event_name: event, ...like });
    const payloads = RECORDED.map((line) => /** @type {Payload} */ (JSON.parse(line.replaceAll('/project', root))));
    const recorded = payloads.find((one) => wanted.every(([key, value]) => one[key] === value));
    if (recorded === undefined) throw new StandInError(`the harness never sent ${JSON.stringify(wanted)}`);
    const payload = JSON.stringify({ ...recorded, session_id: this.id, cwd: root, ...changes });
    /** @type {Record<string, Hooks[]>} */
    const { [event]: hooks = [] } = JSON.parse(readFileSync(join(root, '.claude/settings.json'), 'utf8')).hooks;
    const { tool_name: tool = '' } = like;
    const heard = hooks.filter(({ matcher = '' }) => matcher === '' || new RegExp(`^(?:${matcher})$`).test(tool));
    return heard
      .flatMap((one) => one.hooks)
      .map(({ command }) => {
        const { status, stdout, stderr } = this.#shell(command, { CLAUDE_PROJECT_DIR: root }, payload);
        if (status !== 0) throw new StandInError(`the hook of ${event} failed: exit ${status} ${stdout}${stderr}`);
        return stdout;
      })
      .filter((text) => text !== '');
  }
  /**
   * @param {string} command
   * @param {NodeJS.ProcessEnv} marks variables that the harness sets for the command
   */
  #shell(command, marks, input = '') {
    const { root, env } = this.project;
    return spawnSync('sh', ['-c', command], { cwd: root, env: { ...env, ...marks }, encoding: 'utf8', input });
  }
}
