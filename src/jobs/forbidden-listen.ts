/**
 * Recognizes from a failed command's output that the command was not allowed to listen on a port, as in a sandbox
 * without loopback. Such a failure proves nothing about the work (engine.md, Triage). Conservative: ignores a test's
 * report about such an error, a file that may not be opened, and a port below 1024.
 */

/** Matches a request for a port or a socket, as a separate word and not as part of a path. */
const ASKS =
  /(?<![\w./-])(?:listen(?:er|ing)?|bind(?:ing)?|socket|stream_socket_server|TcpListener|create_server)(?![\w/-])|\b(?:Socket|Bind)Exception\b/i;
const REFUSED = /\bEPERM\b|operation not permitted/i;
const DENIED = /\bEACCES\b|permission denied/i;
/** Matches an address of this machine; a port may follow. */
const ADDRESS = /(?<![\w.])(?:127(?:\.\d+){3}|0\.0\.0\.0|localhost|\[?::1?\]?)(?![\w.])/;
const PORT = /(?:[\]\d:t]:|\bport |', ?)(\d{1,5})\b/;

/** Matches system calls that fail with the same error but have nothing to do with a port. */
const ELSEWHERE =
  /(?<![\w.])(?:connect|unlink|chmod|f?chown|open|opendir|mkdir|rmdir|rename|u?mount|kill|link|symlink|utimes?|copyfile|scandir|setuid|setgid|ptrace|setsockopt|exec|spawn|sudo)(?![\w-])/i;

/** Matches a line that only quotes an error: a test's title, a diff of expected and actual values, or source code. */
const SAID =
  /^\s*(?:[✓✔√✗✘×•]|(?:not )?ok \d|PASS\b|FAIL\b|--- (?:PASS|FAIL)|# Subtest|[+-] |>?\s*\d+\s*\||(?:Expected|Received|expected|actual)\b|(?:it|test|describe)\b)/;

/**
 * Match errors that do not name the failed call. In these cases the call is named in the traceback, which Python prints
 * before the error, and Rust after it.
 */
const BARE_BEFORE = /\bPermissionError: \[Errno 1\] Operation not permitted\s*$/;
const BARE_AFTER = /\bOs \{ code: 1, kind: PermissionDenied\b/;
const PYTHON_CALL = /\.bind\(|\.listen\(|socket\.__init__\(|socket\.socket\(|create_server\(|start_server\(/;
const RUST_CALL = /\b(?:TcpListener|UdpSocket|UnixListener)(?:>)?::bind\b|\bnet::socket\b/;
const BEFORE = 6;
const AFTER = 30;

/** Maximum length of an examined line, in characters, since no such error is longer. */
const LINE = 2000;

/** Finds the line that says that listening is forbidden, or null. */
export function findForbiddenListen(output: string): string | null {
  if (!REFUSED.test(output) && !DENIED.test(output) && !BARE_AFTER.test(output)) return null;
  const lines = output.split(/\r\n|\r|\n/);
  const at = lines.findIndex((line, index) => line.length <= LINE && isForbiddenListen(lines, line, index));
  return lines[at]?.trim() ?? null;
}

function isForbiddenListen(lines: readonly string[], line: string, index: number): boolean {
  if (SAID.test(line)) return false;
  if (BARE_BEFORE.test(line)) {
    return lines.slice(Math.max(0, index - BEFORE), index).some((before) => PYTHON_CALL.test(before));
  }
  if (BARE_AFTER.test(line) && !ASKS.test(line)) {
    return lines.slice(index + 1, index + 1 + AFTER).some((after) => RUST_CALL.test(after));
  }
  if (!ASKS.test(line) || ELSEWHERE.test(line)) return false;
  if (REFUSED.test(line)) return true;
  return DENIED.test(line) && ADDRESS.test(line) && !isPrivileged(line);
}

/** Whether the line names a port that needs privileges on any system. */
function isPrivileged(line: string): boolean {
  const port = Number(PORT.exec(line)?.[1] ?? 0);
  return port > 0 && port < 1024;
}
