import { describe, expect, it } from 'vitest';
import { findForbiddenListen } from '../../../src/jobs/forbidden-listen.js';
import { expectLinear } from '../../support/growth.js';

/** Output of tools in a sandbox that forbids listening. */
const FORBIDDEN: [tool: string, output: string][] = [
  ['node, net', 'Error: listen EPERM: operation not permitted 127.0.0.1'],
  ['node, every address', 'Error: listen EPERM: operation not permitted :::3000'],
  ['node, a socket in the file system', 'Error: listen EPERM: operation not permitted /tmp/tsx-501/4711.pipe'],
  ['node, denied', 'Error: listen EACCES: permission denied 127.0.0.1:3000'],
  ['node, denied without a port', 'Error: listen EACCES: permission denied 0.0.0.0'],
  ['node, datagrams', 'Error: bind EPERM 0.0.0.0:5353'],
  ['bun', 'error: EPERM: operation not permitted, listen'],
  [
    'node --test',
    "not ok 1 - answers\n  ---\n  error: 'listen EPERM: operation not permitted 127.0.0.1'\n  code: 'EPERM'\n  ...",
  ],
  ['go', 'panic: httptest: failed to listen on a port: listen tcp6 [::1]:0: bind: operation not permitted'],
  ['go, socket', '    main_test.go:12: listen tcp 127.0.0.1:0: socket: operation not permitted'],
  ['go, denied', 'listen tcp 127.0.0.1:8080: bind: permission denied'],
  [
    'python, bind',
    'Traceback (most recent call last):\n  File "/usr/lib/python3.12/socketserver.py", line 473, in server_bind\n    self.socket.bind(self.server_address)\nPermissionError: [Errno 1] Operation not permitted',
  ],
  [
    'python, socket',
    '  File "/usr/lib/python3.12/socket.py", line 233, in __init__\n    _socket.socket.__init__(self, family, type, proto, fileno)\nPermissionError: [Errno 1] Operation not permitted',
  ],
  [
    'python, pytest',
    'E       self.socket.bind(self.server_address)\nE       PermissionError: [Errno 1] Operation not permitted',
  ],
  [
    'asyncio',
    "PermissionError: [Errno 1] error while attempting to bind on address ('127.0.0.1', 0): operation not permitted",
  ],
  [
    'asyncio, denied',
    "OSError: [Errno 13] error while attempting to bind on address ('127.0.0.1', 8765): permission denied",
  ],
  ['rust', 'Error: Failed to bind to 127.0.0.1:0: Operation not permitted (os error 1)'],
  [
    'rust, unwrap',
    'called `Result::unwrap()` on an `Err` value: Os { code: 1, kind: PermissionDenied, message: "Operation not permitted" }\nstack backtrace:\n   0: rust_begin_unwind\n   3: <std::net::tcp::TcpListener>::bind',
  ],
  ['java', 'java.net.SocketException: Operation not permitted\n\tat java.base/sun.nio.ch.Net.bind0(Native Method)'],
  ['java, bind', 'Caused by: java.net.BindException: Operation not permitted (Bind failed)'],
  ['ruby', 'Errno::EPERM: Operation not permitted - bind(2) for "127.0.0.1" port 0'],
  ['ruby, denied', 'Errno::EACCES: Permission denied - bind(2) for "127.0.0.1" port 3000'],
  ['php', 'Failed to listen on localhost:8000 (reason: Operation not permitted)'],
  ['dotnet', 'Failed to bind: System.Net.Sockets.SocketException (1): Operation not permitted'],
  ['nginx', 'nginx: [emerg] bind() to 0.0.0.0:8080 failed (1: Operation not permitted)'],
  ['redis', 'Warning: Could not create server TCP listening socket 127.0.0.1:6379: bind: Operation not permitted'],
  ['postgres', 'LOG:  could not bind IPv4 address "127.0.0.1": Operation not permitted'],
];

/** Output of commands that failed for other reasons. */
const OTHER: [what: string, output: string][] = [
  ['nothing', ''],
  ['a file', "Error: EACCES: permission denied, open '/etc/shadow'"],
  ['a file called like it', "Error: EPERM: operation not permitted, unlink '/run/app/socket'"],
  ['a directory', "EPERM: operation not permitted, mkdir '/listen'"],
  ['a port below 1024', 'Error: listen EACCES: permission denied 0.0.0.0:80'],
  ['go, a port below 1024', 'listen tcp 127.0.0.1:443: bind: permission denied'],
  ['ruby, a port below 1024', 'Errno::EACCES: Permission denied - bind(2) for "127.0.0.1" port 80'],
  ['denied on a socket file', 'Error: listen EACCES: permission denied /var/run/app.sock'],
  ['a taken port', 'Error: listen EADDRINUSE: address already in use 127.0.0.1:3000'],
  ['connecting', 'Error: connect EPERM 127.0.0.1:5432 - Local (0.0.0.0:0)'],
  ['a mount', 'mount: /mnt: bind mount failed: Operation not permitted.'],
  ['chown of a socket', "chown: changing ownership of 'socket': Operation not permitted"],
  ['a title that passes', '✔ says what to do when listen EPERM: operation not permitted 127.0.0.1 comes (3 ms)'],
  ['a title in TAP', 'ok 3 - explains listen EPERM: operation not permitted'],
  ['a subtest in TAP', '# Subtest: explains listen EPERM: operation not permitted'],
  ['a title that fails', 'not ok 4 - explains listen EPERM: operation not permitted'],
  ['a difference', "- 'listen EPERM: operation not permitted 127.0.0.1'\n+ 'cannot listen'"],
  ['what was expected', 'Expected: "listen EPERM: operation not permitted"'],
  ['a line of source', "> 12 |   expect(message).toBe('listen EPERM: operation not permitted');"],
  ['python, a file', '    os.chmod(path, 0o4755)\nPermissionError: [Errno 1] Operation not permitted'],
  ['python, a file by name', "PermissionError: [Errno 1] Operation not permitted: '/etc/passwd'"],
  [
    'rust, a file',
    'Os { code: 1, kind: PermissionDenied, message: "Operation not permitted" }\n   3: std::fs::remove_file',
  ],
  ['prose', 'The user is not permitted to bind a card to this account.'],
  ['words far apart', 'server listening on 127.0.0.1:3000\nError: EACCES: permission denied, open data.db'],
];

describe('a command that was not let listen', () => {
  it.each(FORBIDDEN)('%s', (_, output) => {
    const told = findForbiddenListen(`> test\n\n${output}\n\n1 failed\n`);
    expect(told).not.toBeNull();
    expect(output).toContain(told);
  });

  it.each(OTHER)('is not: %s', (_, output) => {
    expect(findForbiddenListen(`> test\n\n${output}\n\n1 failed\n`)).toBeNull();
  });

  it.each([
    ['long lines', (size: number) => `${`${'bind operation '.repeat(500)}\n`.repeat(size / 7_500)}EPERM`, 7_500_000],
    ['one line', (size: number) => 'EPERM '.repeat(size / 6), 9_000_000],
  ])('is looked for in linear time in a log of any size and shape: %s', (_, make, size) => {
    expect(findForbiddenListen(make(size))).toBeNull();
    expectLinear(make, findForbiddenListen, size);
  });
});
