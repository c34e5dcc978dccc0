#!/usr/bin/env node
// A command that only asks has a program of its own, which leaves to the whole one what it cannot answer.
const [, , command, event] = process.argv;
const asks = ['next', 'manifest', 'status', 'list'].includes(command);
const judges = command === 'hook' && event === 'pre-tool-use';
require(asks ? `../dist/${command}.cjs` : judges ? '../dist/judge.cjs' : '../dist/program.cjs');
