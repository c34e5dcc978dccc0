// The floor of an acknowledgement: a process that makes the writes of one commit durable, in the order that the storage
// contract asks for (storage.md, A commit), and does nothing else. Arguments: a directory, sizes of the documents, of the
// journal's entry and of state.json, in bytes.
const fs = require('node:fs');
const { join } = require('node:path');

const [directory, ...sizes] = process.argv.slice(2);
const [entry, state, ...documents] = sizes.map(Number);
const objects = join(directory, 'objects');
fs.mkdirSync(objects, { recursive: true });

for (const [index, size] of documents.entries()) replace(join(objects, String(index)), size);
sync(objects);
const journal = fs.openSync(join(directory, 'events.jsonl'), 'a');
fs.writeSync(journal, Buffer.alloc(entry, 'x'));
fs.fsyncSync(journal);
fs.closeSync(journal);
for (const [index, size] of documents.entries()) replace(join(directory, String(index)), size);
sync(directory);
replace(join(directory, 'state.json'), state);
sync(directory);

function replace(path, size) {
  const descriptor = fs.openSync(`${path}.tmp`, 'w');
  fs.writeSync(descriptor, Buffer.alloc(size, 'x'));
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
  fs.renameSync(`${path}.tmp`, path);
}

function sync(path) {
  const descriptor = fs.openSync(path, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}
