#!/usr/bin/env node
// The commands that only ask have a program of their own, which leaves to the whole one what it cannot answer.
const questions = ['next', 'manifest', 'status', 'list'];
require(questions.includes(process.argv[2]) ? '../dist/hot.cjs' : '../dist/cli.cjs');
