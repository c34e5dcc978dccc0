// Preloaded into the binary: simulates a sandbox. TEST_SANDBOX=git forbids starting git. TEST_SANDBOX=pipes forbids the
// system call `shutdown`, as Codex CLI's sandbox does: if a program's stdin is a pipe, Node then reports the error
// EPERM for it, even though the program ran and ended normally.
const process = require('node:process');
const childProcess = require('node:child_process');

const { execFile, spawnSync } = childProcess;

/** @param {string} call */
const refusal = (call) => Object.assign(new Error(`${call} EPERM`), { code: 'EPERM', errno: -1, syscall: call });
/** @param {string} program */
const isForbidden = (program) => program === 'git' && process.env['TEST_SANDBOX'] === 'git';

/** @param {[string, string[], import('node:child_process').SpawnSyncOptions]} words */
function spawnSandboxed(...[program, args, options]) {
  const error = refusal(`spawnSync ${program}`);
  if (isForbidden(program)) return { status: null, signal: null, stdout: null, stderr: null, error };
  const result = spawnSync(program, args, options);
  const stdin = Array.isArray(options?.stdio) ? options.stdio[0] : (options?.stdio ?? 'pipe');
  return stdin === 'pipe' ? { ...result, error: result.error ?? error } : result;
}

/** @param {[string, string[], object, (...told: unknown[]) => void]} words */
function executeSandboxed(...words) {
  const [program, , , callback] = words;
  if (!isForbidden(program)) return Reflect.apply(execFile, childProcess, words);
  process.nextTick(callback, refusal(`spawn ${program}`), Buffer.alloc(0), Buffer.alloc(0));
  return { stdin: null, stdout: null };
}

Reflect.set(childProcess, 'spawnSync', spawnSandboxed);
Reflect.set(childProcess, 'execFile', executeSandboxed);
