import { type Static, Type } from '@sinclair/typebox';
import { omitUndefined } from '../../base/defined.js';
import { toKey } from '../../documents/headings.js';
import { getFileForm } from '../declared.js';
import { resolveCommand } from '../resolve/command.js';
import type { LlmCliBlock } from '../resolved.js';
import { CommandLineSchema, filesSchema, textSchema, typeSchema } from '../source/schema-parts.js';
import { askingFields, blockSchema, externalFields, ownCommandSchema, schemaField } from '../source/schema-rows.js';
import { quoteWord } from '../source/yaml.js';
import { listPlaceholders } from '../template.js';
import { type BlockForm, showCommand } from './block-form.js';
import { refuseExternalOptions, resolveAsking, resolveOwn, resolveSchema } from './defaults.js';

/** The source form of `llm+cli`. */
export const llmCliSource = () =>
  blockSchema({
    ...askingFields,
    type: typeSchema('llm+cli', 'The agent writes a file, JSON or Markdown; then dev-cli may run a command on it.'),
    write: Type.Optional(
      textSchema(
        "The file to write, in the run's directory: Markdown where the name ends in `.md`, else JSON. Default: the command's --data file.",
        'plan-content.json',
        'UPGRADE.md',
      ),
    ),
    schema: schemaField,
    headings: Type.Optional(
      filesSchema('Headings that a Markdown file must have, of any level, each with text below it.', [
        'What changes',
        'Steps',
      ]),
    ),
    command: Type.Optional(CommandLineSchema),
    then: Type.Optional(
      ownCommandSchema('The same as `command`.', 'dev-cli plan generate {name} --data plan-content.json'),
    ),
    ...externalFields,
  });

/** `llm+cli`: the agent writes a file, then dev-cli may run a command on it. */
export const LLM_CLI_FORM: BlockForm<Static<ReturnType<typeof llmCliSource>>, LlmCliBlock> = {
  resolve(block, context) {
    const { report } = context;
    if (block.command !== undefined && block.then !== undefined) {
      report.error([...context.place, 'then'], '`then` means the same as `command`; write only one of them.', {
        at: 'key',
      });
    }
    if (block.command === undefined) refuseExternalOptions(block, 'command', context);
    const then = resolveOwn(block.then, 'then', context);
    const command =
      block.command === undefined
        ? then && ({ kind: 'own', command: then } as const)
        : resolveCommand(block.command, block, [...context.place, 'command'], report);
    if (command?.kind === 'external') {
      report.error([...context.place, 'command'], 'The command after a written file must be a `dev-cli` command.', {
        fix: 'Run an external command in a `cli` block of its own.',
      });
    }
    const data = command?.kind === 'own' ? command.command.input['data'] : undefined;
    const write = block.write ?? (typeof data === 'string' ? data : undefined);
    const isPlan =
      command?.kind === 'own' && command.command.command === 'plan generate' && write === (data ?? 'plan-content.json');
    if (write === undefined && command !== null) {
      report.error(context.place, '`write` is missing: nothing says which file to write.');
    }
    return {
      ...resolveAsking(block, null, context),
      asks: null,
      kind: 'llm+cli',
      write: write ?? '-',
      ...omitUndefined({ headings: block.headings }),
      ...resolveSchema(isPlan ? { schema: 'plan-content', ...block } : block, context),
      ...(command ? { command } : {}),
    };
  },
  show: ({ write, schema, headings, command }) => ({
    write,
    ...omitUndefined({ schema, headings }),
    ...(command === undefined ? {} : showCommand(command)),
  }),
  listTexts: ({ write }) => [write],
  lint({ report }, index, block) {
    const { write, schema, headings = [] } = block;
    const form = getFileForm(block);
    if (form === 'markdown' && schema !== undefined) {
      report.error(['blocks', index, 'schema'], `\`schema\` applies to JSON; ${quoteWord(write)} is Markdown.`, {
        fix: 'List what it must contain in `headings`, or write a file whose name ends in `.json`.',
      });
    }
    if (form === 'json' && headings.length > 0) {
      report.error(['blocks', index, 'headings'], `\`headings\` apply to Markdown; ${quoteWord(write)} is JSON.`, {
        at: 'key',
        fix: 'Write a file whose name ends in `.md`, or describe the JSON with `schema`.',
      });
    }
    const seen = new Set<string>();
    for (const [at, heading] of headings.entries()) {
      const place = ['blocks', index, 'headings', at];
      const key = toKey(heading);
      if (key === '' || heading.startsWith('#') || heading.includes('\n') || listPlaceholders(heading).length > 0) {
        report.error(
          place,
          `${quoteWord(heading)} is not a valid heading: it must be one line of text without placeholders.`,
          { fix: 'Write only its words, without `#` or placeholders, such as `Steps`.' },
        );
      } else if (seen.has(key)) {
        report.error(place, `The heading ${quoteWord(heading)} is listed twice.`, { fix: 'List each heading once.' });
      }
      seen.add(key);
    }
  },
};
