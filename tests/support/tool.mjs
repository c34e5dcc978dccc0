// A scripted stand-in for a coding agent: `node tool.mjs SCRIPT PROMPT GOAL` does what SCRIPT prescribes for the goal's
// next session.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [, , script = '', promptFile = '', goal = ''] = process.argv;
const begun = `${script}.begun`;
const before = readLines(begun).filter((line) => line === goal).length;
appendFileSync(begun, `${goal}\n`);
const sessions = JSON.parse(readFileSync(script, 'utf8'))[goal] ?? [{}];
const does = sessions[Math.min(before, sessions.length - 1)];
const prompt = promptFile === '-' ? readFileSync(0, 'utf8') : readFileSync(promptFile, 'utf8');
writeFileSync(`${script}.${goal}-${before + 1}.prompt`, prompt);

if (does.sleep) await new Promise((resolve) => setTimeout(resolve, does.sleep * 1000));
// Ends if the current directory was removed meanwhile, because Node's recursive mkdir would never return.
if (!existsSync('.')) process.exit(1);
for (const [path, content] of Object.entries(does.write ?? {})) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
for (const path of does.remove ?? []) rmSync(path, { recursive: true });
if (does.run) execFileSync('sh', ['-c', does.run], { stdio: 'inherit' });
const { handoff = 'complete', reason = '' } = does;
if (handoff !== null) {
  const path = /into (\.ai\/handoffs\/\S+\.md)/.exec(prompt)?.[1] ?? '';
  mkdirSync(dirname(path), { recursive: true });
  const head = ['---', `timestamp: ${new Date().toISOString()}`, `status: ${handoff}`, `goal_id: ${goal}`];
  writeFileSync(
    path,
    does.text ??
      [...head, ...(reason ? [`reason: ${reason}`] : []), '---', '', '## Done', '', `- ${goal}`, ''].join('\n'),
  );
}
if (does.says) process.stdout.write(`${does.says}\n`);
process.exit(does.exit ?? 0);

/** @param {string} path */
function readLines(path) {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
