#!/usr/bin/env node
// A command that only asks has a program of its own, which leaves to the whole one what it cannot answer.
const [, , command, event] = process.argv;
const asks = ['next', 'manifest', 'status', 'list', 'hook'].includes(command);
const judges = command === 'hook' && event === 'pre-tool-use';
const completes = command === 'completion' && event === '--complete';
const program = judges ? 'judge' : completes ? 'complete' : asks ? command : 'program';
require(`../dist/${program}.cjs`);
