import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../adversarial/binary/victims.js';
import { devCli, imageOf } from '../../support/cli.js';
import { ask, View } from '../../support/page.js';
import { createProject, type Project } from '../../support/project.mjs';
import { PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

// view-page.md, Guard: whose requests are answered, and how others are kept from acting through the page.

let project: Project;
let view: View;
beforeAll(async () => {
  project = createProject({ sample: null });
  startTiny(project, [PLAIN_BLOCK]);
  view = new View(project, []);
  await view.enter();
});
afterAll(() => {
  view.stop();
  project.remove();
});

const port = () => view.host.split(':')[1] ?? '';

describe('a ticket', () => {
  it('is good once; none, a wrong one and a used one have no session', async () => {
    for (const body of [{}, { ticket: '' }, { ticket: 7 }, { ticket: '0'.repeat(48) }, { ticket: view.ticket }]) {
      const refused = await ask(view.host, '/session', { body });
      expect([refused.status, refused.json()['error']]).toEqual([
        401,
        expect.objectContaining({ code: 'TERMINAL_REQUIRED' }),
      ]);
    }
  });

  it('of another server opens nothing here', async () => {
    const other = new View(project, []);
    await other.says('#ticket=');
    expect(other.host).not.toBe(view.host);
    expect((await ask(view.host, '/session', { body: { ticket: other.ticket } })).status).toBe(401);
    other.stop();
  });

  it('has 192 bits, and a session is none', () => {
    expect(view.ticket).toMatch(/^[0-9a-f]{48}$/);
  });
});

describe('a request', () => {
  it.each(['/runs', '/runs/run-1', '/runs/run-1/events?since=0', '/runs/run-1/tabs/plan', '/nothing'])(
    'for %s needs a session; the shell holds no data, and needs none',
    async (path) => {
      expect((await ask(view.host, path)).status).toBe(401);
      expect((await ask(view.host, path, { headers: { 'x-dev-cli-session': view.ticket } })).status).toBe(401);
      const shell = await ask(view.host, '/');
      expect([shell.status, shell.text.includes('run-1')]).toEqual([200, false]);
    },
  );

  it('for any name but 127.0.0.1 and this port is 421', async () => {
    const names = [
      `localhost:${port()}`,
      'evil.example',
      `127.0.0.1.evil.example:${port()}`,
      '127.0.0.1',
      '127.0.0.1:1',
    ];
    for (const host of names)
      expect([host, (await view.ask('/runs', { headers: { host } })).status]).toEqual([host, 421]);
  });

  it('of another site is 403', async () => {
    const origins = [
      'null',
      'http://127.0.0.1:1',
      `http://localhost:${port()}`,
      `https://${view.host}`,
      'http://evil.example',
    ];
    for (const origin of origins)
      expect([origin, (await view.ask('/runs', { headers: { origin } })).status]).toEqual([origin, 403]);
    for (const site of ['cross-site', 'same-site'])
      expect((await view.ask('/runs', { headers: { 'sec-fetch-site': site } })).status).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect(
        (await view.ask('/runs', { headers: { 'sec-fetch-site': site, origin: `http://${view.host}` } })).status,
      ).toBe(200);
  });

  it('posts JSON of at most 64 kB', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await view.ask('/session', { body: 'ticket=1', headers: form })).status).toBe(415);
    expect((await view.ask('/session', { body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await view.ask('/session', { method: 'POST' })).status).toBe(415);
    const large = await view.ask('/session', { body: { ticket: 'x'.repeat(65 * 1024) } });
    expect(large.status).toBe(413);
    // A server may close the connection before receiving the whole body.
    const huge = await view
      .ask('/session', { body: { ticket: 'x'.repeat(10_000_000) } })
      .catch(() => ({ status: 413 }));
    expect(huge.status).toBe(413);
    for (const body of ['[]', '"x"', '{', '']) {
      const headers = { 'content-type': 'application/json' };
      expect((await view.ask('/session', { body, method: 'POST', headers })).status).toBe(400);
    }
    expect((await view.ask('/runs', { method: 'PUT', body: {} })).status).toBe(405);
  });

  it('names runs and documents by nothing that leads elsewhere', async () => {
    for (const name of ['..%2f..%2fetc%2fpasswd', '%00', 'a%2fb', 'nothing', `${'x'.repeat(65)}`, '%ff'])
      expect([name, (await view.ask(`/runs/${name}`)).status]).toEqual([name, 404]);
    const gone = [
      'row=../../x&segment=0&document=0',
      'row=one&segment=9&document=9',
      'row=__proto__&segment=0&document=0',
    ];
    for (const query of gone) expect((await view.ask(`/runs/run-1/documents?${query}`)).status).toBe(404);
    expect((await view.ask('/runs/run-1/documents?row=a&segment=-1&document=0')).status).toBe(400);
    for (const sha of ['HEAD', '--help', '0'.repeat(40), '..%2fx'])
      expect((await view.ask(`/runs/run-1/commits/${sha}`)).status).toBe(404);
    expect((await view.ask('/runs/run-1?run=nothing')).status).toBe(404);
  });
});

describe('every answer', () => {
  it('lets nothing be loaded, framed, kept or told, and sets no cookie', async () => {
    for (const path of ['/', '/runs', '/nothing']) {
      const { headers } = await view.ask(path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; script-src 'sha256-[^']{44}'; style-src 'sha256-[^']{44}'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      );
      expect(headers['set-cookie']).toBeUndefined();
    }
    expect((await ask(view.host, '/', { headers: { host: 'x' } })).headers['content-security-policy']).toBeDefined();
  });
});

describe('pages that follow a run', () => {
  it('are 32 at most; when one goes, another may', async () => {
    const open = Array.from({ length: 32 }, () => view.follow('/runs/run-1/events?since=0'));
    await eventually('all are open', () => open.every(({ bytes }) => bytes() > 0));
    const refused = await view.ask('/runs/run-1/events?since=0');
    expect([refused.status, refused.json()['error']]).toEqual([429, expect.objectContaining({ fix: 'Close one.' })]);
    for (const { stop } of open) stop();
    let last = view.follow('/runs/run-1/events?since=0');
    for (let looks = 0; last.lines().length === 0 && looks < 50; looks += 1) {
      last.stop();
      last = view.follow('/runs/run-1/events?since=0');
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(last.lines()).toHaveLength(1);
    last.stop();
  });
});

describe('view', () => {
  it('writes nothing, and nothing of its tokens stands anywhere', async () => {
    const image = imageOf(project);
    await view.ask('/runs');
    await view.ask('/runs/run-1');
    await view.ask('/runs/run-1/tabs/journal');
    expect(imageOf(project)).toEqual(image);
  });

  it('of an unknown run, or at a port that is taken or is none, says so', async () => {
    expect(devCli(project, ['view', 'nothing', '--text']).stderr).toContain('NO_SUCH_RUN');
    for (const none of ['0', '65536'])
      expect(devCli(project, ['view', '--port', none, '--text'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--port'),
      });
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port: number } = taken.address() as { port: number };
    const second = new View(project, ['--port', String(number)]);
    expect(await second.end()).toBe(2);
    expect(second.shown).toContain(`USAGE: Port ${number} is taken.`);
    taken.close();
  });

  it('without a person says that it only shows, and ends at a signal', async () => {
    expect(view.shown).toContain('The page is read-only: no person is at this terminal');
    const other = new View(project, ['run-1']);
    await other.says('#ticket=');
    expect(other.shown).toMatch(/#ticket=[0-9a-f]{48}\/run-1\r?\n/);
    await other.says('is read-only');
    other.signal('SIGTERM');
    expect(await other.end()).toBe(130);
  });
});
