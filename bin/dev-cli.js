#!/usr/bin/env node
// A command that only asks has a program of its own, which leaves to the whole one what it cannot answer.
const [, , command, event] = process.argv;
const asks = ['next', 'manifest', 'status', 'list', 'hook'].includes(command);
const judges = command === 'hook' && event === 'pre-tool-use';
require(judges ? '../dist/judge.cjs' : asks ? `../dist/${command}.cjs` : '../dist/program.cjs');
