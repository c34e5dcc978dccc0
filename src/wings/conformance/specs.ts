import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { commaList, flag, freeText, integer, optional, pairs, word } from '../../registry/values.js';

/** The conformance suite of the neutral contract (neutral.md, Conformance). */
export const CONFORMANCE_SPECS = [
  {
    name: 'conformance run',
    summary: 'Run the conformance suite of the neutral contract against a server or a command.',
    description:
      'Each case has a directory, a repository and a server of its own; name the program by an absolute path. Tools go to the server, events to the command; with a command alone, all do. A server that does not start, dies, is silent or speaks no protocol is an error, never a pass.',
    actor: 'author',
    output: 'text',
    input: Type.Object({
      server: optional(
        freeText('How the server of the Model Context Protocol is started; no shell reads it.', { placeholder: 'CMD' }),
      ),
      command: optional(
        freeText('What a call is given to, with {root}, {call} and {params}; it prints one JSON object.', {
          placeholder: 'CMD',
        }),
      ),
      self: flag('Run it against dev-cli itself.'),
      prefix: optional(
        word('What stands before the names of tools there: nx_.', { needs: ['server'], placeholder: 'PREFIX' }),
      ),
      rename: optional(pairs('FROM=TO', 'A tool, or tool.parameter, that has another name there; may be repeated.')),
      harness: optional(word("The name of the harness's own folder. Default: dev-cli-agent.", { placeholder: 'ID' })),
      suite: optional(commaList('SUITE,…', 'published, own, or directories of fixtures. Default: published,own.')),
      strict: flag('Also run what is our choice where the contract is silent.'),
      only: optional(commaList('WORD,…', 'Cases, tools, events or folders of fixtures, by name.')),
      timeout: optional(integer('SECONDS', 'Seconds that an answer may take, 1 to 3600. Default: 10.')),
    }),
    exclusive: [
      ['self', 'server'],
      ['self', 'command'],
    ],
    errors: ['DATA_MISSING', 'SCHEMA_INVALID'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli conformance run --self', note: 'Does dev-cli keep the contract?' },
      { command: 'dev-cli conformance run --server "python3 /path/to/server.py"', note: 'Does mine?' },
      {
        command: 'dev-cli conformance run --server "node /path/to/server.js" --only task_add,plan_start --json',
        note: 'Two tools, for a program.',
      },
    ],
  },
  {
    name: 'conformance validate',
    summary: 'Judge the fixtures of a suite: their form, and whether they prove what they claim.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['directory'],
    input: Type.Object({
      directory: optional(
        word('The directory of the suite. Default: those that ship.', { format: 'file', placeholder: 'DIR' }),
      ),
    }),
    errors: ['SCHEMA_INVALID'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli conformance validate', note: 'What the published suite claims and does not prove.' },
      { command: 'dev-cli conformance validate fixtures', note: 'Judge my own.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
