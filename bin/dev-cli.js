#!/usr/bin/env node
// A command that only asks has a program of its own, which leaves to the whole one what it cannot answer.
const [, , command] = process.argv;
const asks = ['next', 'manifest', 'status', 'list'].includes(command);
require(asks ? `../dist/${command}.cjs` : '../dist/cli.cjs');
