import { format } from 'oxfmt';
import { makeCommands } from './commands.ts';
import { makeRunbook } from './runbook.ts';

/** Pages with generated parts: text by the path below docs/. */
export async function makePages(): Promise<ReadonlyMap<string, string>> {
  const pages = { 'commands.md': await makeCommands(), 'runbook.md': await makeRunbook() };
  const formatted = Object.entries(pages).map(async ([path, text]) => {
    const { code } = await format(path, text, { printWidth: 100, proseWrap: 'always' });
    return [path, code] as const;
  });
  return new Map(await Promise.all(formatted));
}
