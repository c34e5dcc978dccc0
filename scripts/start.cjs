// dist/hot.cjs and dist/cli.cjs: each runs the program beside it, `<name>.program.js`, in the form that V8 compiled it to when
// it was built (`<name>.program.bin`), where that form fits. Compiling is most of a short call.
//
// V8 refuses what another version of it, or one with other flags, has made, and what was made of a text of another length. It
// looks neither at that text nor at the bytes it is given. So the file holds the program as it was compiled and what V8 made
// of it twice, and unless all of that agrees it is left alone: comparing takes no time, a checksum would take a millisecond.
// Then the program is compiled as ever. Nothing is written: an installation may be read-only.
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

const filename = __filename.replace(/\.cjs$/, '.program.js');
const program = readFileSync(filename);
const script = new Script(
  `(function (exports, require, module, __filename, __dirname) {${program.toString('latin1')}\n})`,
  { filename, cachedData: compiled() },
);
script.runInThisContext().call(exports, exports, require, module, __filename, __dirname);

/** What V8 made of this very program, or undefined. */
function compiled() {
  let file;
  try {
    file = readFileSync(filename.replace(/js$/, 'bin'));
  } catch {
    return undefined;
  }
  const size = (file.length - program.length) / 2;
  if (!Number.isInteger(size) || size <= 0) return undefined;
  const made = file.subarray(0, size);
  const fits = made.equals(file.subarray(size, 2 * size)) && program.equals(file.subarray(2 * size));
  return fits ? made : undefined;
}
