import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { signToken } from '../src/token.js';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const secret = randomBytes(32).toString('hex');

/** The process as an operator starts it, on a free port. */
async function started(env) {
  const child = spawn(process.execPath, [MAIN], { env: { ...process.env, PORT: '0', ...env } });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, base: `http://127.0.0.1:${/listens on (\d+)/.exec(line)[1]}` };
}

it('ends at once without a secret, and says which variable is missing', async () => {
  const child = spawn(process.execPath, [MAIN], { env: { ...process.env, AUTH_SECRET: '' } });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    told += text;
  });
  const [exit] = await once(child, 'close');
  assert.match(told, /AUTH_SECRET must have at least 32 bytes/);
  assert.equal(exit, 1);
});

it('refuses with the documented body and header, and lets a good token pass', async () => {
  const { child, base } = await started({ AUTH_SECRET: secret });
  const refused = await fetch(`${base}/todos`);
  assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer']);
  assert.equal((await refused.json()).error.code, 'unauthenticated');
  const authorization = `Bearer ${signToken({ sub: 'me', exp: Date.now() / 1000 + 60 }, { secret })}`;
  assert.equal((await fetch(`${base}/todos`, { headers: { authorization } })).status, 200);
  child.kill();
  await once(child, 'exit');
});

it('lets everybody pass in warn mode and says whom it would have refused', async () => {
  const { child, base } = await started({ AUTH_SECRET: secret, AUTH_MODE: 'warn' });
  const logged = once(child.stderr.setEncoding('utf8'), 'data');
  assert.equal((await fetch(`${base}/todos`)).status, 200);
  assert.match((await logged)[0], /^would refuse GET \/todos: missing$/m);
  child.kill();
  await once(child, 'exit');
});
