#!/usr/bin/env node
// Node 20 cannot keep compiled code, and to ask its module costs a millisecond.
if (Number.parseInt(process.versions.node, 10) >= 22) {
  const { enableCompileCache, getCompileCacheDir } = require('node:module');
  // From 22.1 on; unless the user has chosen a directory.
  if (enableCompileCache !== undefined && getCompileCacheDir() === undefined) {
    const directory = require('../dist/compile-cache.cjs').prepareCompileCache(process.env);
    if (directory !== null) enableCompileCache(directory);
  }
}

// A command that only asks has a program of its own, which leaves to the whole one what it cannot answer.
const [, , command, event] = process.argv;
const asks = ['next', 'manifest', 'status', 'list'].includes(command);
const judges = command === 'hook' && event === 'pre-tool-use';
require(asks ? `../dist/${command}.cjs` : judges ? '../dist/judge.cjs' : '../dist/cli.cjs');
