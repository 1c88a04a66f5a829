import { METRICS } from '../../../functions/core/ports/metrics.ts';
import { WEBHOOK_METRICS } from '../../../functions/deliver/metrics.ts';
import { ALARM_TEXTS } from '../../../infra/construct/monitoring/alarm-row.ts';
import { readPropertyComments } from '../event-docs/doc-comments.ts';
import { readPage } from '../pages.ts';

const ROOT = new URL('../../../', import.meta.url);

/** An entry for each alarm, in the order of the alarms, with the advice that the page has. */
export async function alarmEntries(): Promise<string> {
  const page = await readPage('runbook.md');
  const advice = new Map(
    [...page.matchAll(/^### ([^\n]+)\n(.*?)(?=^##|^<!--)/gms)].map(
      ([, heading = '', text = '']) => [heading, text.replace(/^\n(_.*?_\n)?/s, '').trim()],
    ),
  );
  const entries = Object.entries(ALARM_TEXTS).map(([name, sentence]) => {
    const words = name.replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const text = sentence.replace('of {}', 'of a subscriber').replace(/ ?\{\}/, '');
    return `### ${words}\n\n_${text}_\n\n${advice.get(words) ?? '**To be written.**'}\n`;
  });
  return entries.join('\n');
}

/** The metrics of each `monitoring`, with their comments. */
export function metricLines(): string {
  const comments = {
    ...readPropertyComments(new URL('functions/core/ports/metrics.ts', ROOT), 'METRICS'),
    ...readPropertyComments(new URL('functions/deliver/metrics.ts', ROOT), 'WEBHOOK_METRICS'),
  };
  const lines = (level: string) =>
    Object.entries({ ...METRICS, ...WEBHOOK_METRICS })
      .filter(([, { monitoring }]) => monitoring === level)
      .map(([name]) => `- \`${name}\`: ${comments[name] ?? ''}`.replace(/: $/, ''));
  const [basic, full] = ['basic', 'full'].map((level) => lines(level).join('\n'));
  return `With \`monitoring\` \`basic\`:\n\n${basic}\n\nWith \`full\`, too:\n\n${full}`;
}
