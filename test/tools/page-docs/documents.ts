import { fillPage } from '../pages.ts';
import { commandSections } from './commands.ts';
import { alarmEntries, metricLines } from './runbook.ts';

/** Pages of which other parts are made: text by the path below docs/. */
export async function makeDocuments(): Promise<Map<string, string>> {
  return new Map([
    await fillPage('commands.md', { commands: commandSections() }),
    await fillPage('runbook.md', { alarms: await alarmEntries(), metrics: metricLines() }),
  ]);
}
