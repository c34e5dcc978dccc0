#!/usr/bin/env node
// Commands that only ask have small programs of their own, which load the whole program for whatever they cannot
// answer.
const [, , command, event] = process.argv;
const asks = ['next', 'manifest', 'status', 'list', 'hook'].includes(command);
const judges = command === 'hook' && event === 'pre-tool-use';
const completes = command === 'completion' && event === '--complete';
const program = judges ? 'judge' : completes ? 'complete' : asks ? command : 'program';
require(`../dist/${program}.cjs`);
