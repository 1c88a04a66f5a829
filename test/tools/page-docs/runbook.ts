import { readFile } from 'node:fs/promises';
import { METRICS } from '../../../functions/core/ports/metrics.ts';
import { WEBHOOK_METRICS } from '../../../functions/deliver/metrics.ts';
import { ALARM_TEXTS } from '../../../infra/construct/monitoring/alarm-row.ts';
import { readPropertyComments } from '../event-docs/doc-comments.ts';

const ROOT = new URL('../../../', import.meta.url);
const ALARMS = /(<!-- alarms[^>]*-->\n).*(?=\n## Metrics)/s;
const METRIC_LIST = /(<!-- metrics -->\n).*(<!-- \/metrics -->)/s;

/** The runbook: an entry for each alarm in the order of the alarms, with the advice that the page has. */
export async function makeRunbook(): Promise<string> {
  const page = await readFile(new URL('docs/runbook.md', ROOT), 'utf8');
  const advice = new Map(
    [...page.matchAll(/^### ([^\n]+)\n(.*?)(?=^##|(?![\s\S]))/gms)].map(
      ([, heading = '', text = '']) => [heading, text.replace(/^\n(_.*?_\n)?/s, '').trim()],
    ),
  );
  const entries = Object.entries(ALARM_TEXTS).map(([name, sentence]) => {
    const words = name.replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const text = sentence.replace('of {}', 'of a subscriber').replace(/ ?\{\}/, '');
    return `### ${words}\n\n_${text}_\n\n${advice.get(words) ?? '**To be written.**'}\n`;
  });
  return page
    .replace(ALARMS, (_, begin: string) => `${begin}\n${entries.join('\n')}`)
    .replace(METRIC_LIST, (_, begin: string, end: string) => `${begin}\n${metrics()}\n\n${end}`);
}

function metrics(): string {
  const comments = {
    ...readPropertyComments(new URL('functions/core/ports/metrics.ts', ROOT), 'METRICS'),
    ...readPropertyComments(new URL('functions/deliver/metrics.ts', ROOT), 'WEBHOOK_METRICS'),
  };
  return Object.entries({ ...METRICS, ...WEBHOOK_METRICS })
    .map(([name, { monitoring }]) => {
      const comment = comments[name] ?? '';
      return `- \`${name}\` (${monitoring})${comment === '' ? '' : `: ${comment}`}`;
    })
    .join('\n');
}
