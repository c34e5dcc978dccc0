import { spawn } from 'node:child_process';

/**
 * Runs a program and types into it as a person would: one line for each question. terminal.mjs starts this module as a
 * separate process, because tests block while they wait for their calls.
 * Its argument is JSON of `{ command, args, ahead, answers, pause }`. `ahead` is typed at once, before any question;
 * each answer is typed `pause` milliseconds after its question.
 */

const { command, args, ahead, answers, pause } = JSON.parse(process.argv[2] ?? '');

const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.stdin.on('error', () => {}); // the program has ended without reading all its input
child.stdin.write(ahead);
let unanswered = '';
child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
  process.stdout.write(text);
  unanswered += text;
  // A question is a line that ends with `: ` or `? `, or the lower edge of a frame.
  if (!/[:?] $|└[^\n]*\r?\n$/.test(unanswered.replace(/\u001b\[[?0-9;]*[A-Za-z]/g, ''))) return;
  const answer = answers.shift();
  if (answer === undefined) return;
  unanswered = '';
  setTimeout(() => child.stdin.write(`${answer}\r`), pause);
});
child.on('close', (status) => process.exit(status ?? 1));
