import type { NewEntry } from '../store/store.js';

/** One line that says what an entry recorded; from its data alone. */
export function summarize(entry: Pick<NewEntry, 'type' | 'data'>): string {
  const text = (key: string) => String(entry.data[key] ?? '');
  switch (entry.type) {
    case 'init':
      return `started ${text('recipe')}`;
    case 'issued':
      return `${text('actionId')} ${text('block')}: ${text('action')}`;
    case 'acknowledged':
      return `${text('actionId')} ${text('block')} done${entry.data['choice'] === undefined ? '' : `: ${text('choice')}`}`;
    case 'accepted':
      return `${text('actionId')} ${text('block')}: part of the evidence accepted`;
    case 'given-up':
      return `${text('actionId')} ${text('block')}: without ${text('agents')}`;
    case 'round':
      return `${text('actionId')} ${text('block')}: round ${text('round')} did not pass`;
    case 'failed':
      return `${text('actionId')} ${text('block')} failed`;
    case 'ran':
      return `${text('block')}: ${text('summary')}`.slice(0, 200);
    case 'skipped':
      return `${text('block')} skipped`;
    case 'command-started':
      return `${text('block')}: command started`;
    case 'command-finished':
      return `${text('block')}: command ${text('outcome')}`;
    case 'invalidated':
      return `${text('block')} invalidated`;
    case 'document':
      return `${text('command')}: ${text('summary')}`.slice(0, 200);
    case 'ended':
      return text('outcome');
    default:
      return entry.type;
  }
}
