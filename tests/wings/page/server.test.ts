import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { derivePort } from '../../../src/wings/page/listen.js';
import { hasDisplay, listOpener } from '../../../src/wings/page/open.js';
import { createSessions } from '../../../src/wings/page/sessions.js';
import { createShell } from '../../../src/wings/page/shell.js';

// view-page.md, Guard: tests the parts of the page's server without a socket.

describe('a ticket', () => {
  const at = () => {
    const clock = { now: 0 };
    return { clock, sessions: createSessions(() => clock.now) };
  };

  it('is exchanged once, within 60 seconds', () => {
    const { clock, sessions } = at();
    const [early, late] = [sessions.issue(), sessions.issue()];
    clock.now = 60_000;
    const session = sessions.exchange(early);
    expect(session).toMatch(/^[0-9a-f]{48}$/);
    expect(sessions.exchange(early)).toBeNull();
    clock.now = 60_001;
    expect(sessions.exchange(late)).toBeNull();
    expect(sessions.has(session ?? '')).toBe(true);
  });

  it('is no session, nor is what another server gave', () => {
    const { sessions } = at();
    const ticket = sessions.issue();
    expect(sessions.has(ticket)).toBe(false);
    expect(at().sessions.exchange(ticket)).toBeNull();
    for (const wrong of ['', 'constructor', '__proto__']) {
      expect(sessions.exchange(wrong)).toBeNull();
      expect(sessions.has(wrong)).toBe(false);
    }
  });
});

describe('the policy', () => {
  it('names the one script and the one style by what they are', () => {
    const shell = createShell('<head><style media="all">a{}</style></head><script type="module">let a\n</script>');
    const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(shell.policy("'none'")).toBe(
      `default-src 'none'; script-src ${digest('let a\n')}; style-src ${digest('a{}')}; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'`,
    );
  });
});

describe('a port', () => {
  it('follows from the root, below those that a system hands out', () => {
    const ports = Array.from({ length: 200 }, (_, at) => derivePort(`/home/a/project-${at}`));
    expect(ports).toEqual(Array.from({ length: 200 }, (_, at) => derivePort(`/home/a/project-${at}`)));
    expect(new Set(ports).size).toBeGreaterThan(180);
    expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...ports)).toBeLessThan(30_000);
  });
});

describe('the browser', () => {
  const link = 'http://127.0.0.1:20000/#ticket=0';

  it.each([
    ['linux', ['xdg-open', link]],
    ['darwin', ['open', link]],
    ['win32', ['cmd', '/c', 'start', '""', link]],
  ])('is opened on %s by an argument vector', (platform, argv) => {
    expect(listOpener(link, platform)).toEqual(argv);
  });

  it('is opened where something can be shown', () => {
    expect(hasDisplay({}, 'linux')).toBe(false);
    expect(hasDisplay({ DISPLAY: '' }, 'linux')).toBe(false);
    expect(hasDisplay({ DISPLAY: ':0' }, 'linux')).toBe(true);
    expect(hasDisplay({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
    expect(hasDisplay({}, 'darwin')).toBe(true);
    expect(hasDisplay({ SSH_CONNECTION: '1' }, 'darwin')).toBe(false);
  });
});
