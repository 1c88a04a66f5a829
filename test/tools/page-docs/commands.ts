import { readFile } from 'node:fs/promises';
import { generateHelpTextForAllCommands } from '@stricli/core';
import { makeApplication } from '../../../infra/cli/application.ts';
import { checkCommand } from '../../../infra/cli/check/check.ts';
import { devCommand } from '../../../infra/cli/dev/dev.ts';
import { serviceCommand } from '../../../infra/cli/dev/service.ts';

const PAGE = new URL('../../../docs/commands.md', import.meta.url);
const COMMANDS = /(<!-- commands[^>]*-->\n).*(<!-- \/commands -->)/s;
/** Flags that the page explains once. */
const COMMON = /^(stage|stack|local|region|profile|list|project|resource|all|dry-run|json|help)$/;

/** The help of each command of `sitecast`, by its words: `sitecast webhooks list`. */
export function readHelp(): ReadonlyMap<string, string> {
  const others = { dev: devCommand, service: serviceCommand, check: checkCommand };
  return new Map(generateHelpTextForAllCommands(makeApplication(others) as never));
}

/** The page of commands, with what `--help` prints of each. */
export async function makeCommands(): Promise<string> {
  const sections = [...readHelp()].map(([route, help]) => sectionOf(route, help));
  return (await readFile(PAGE, 'utf8')).replace(
    COMMANDS,
    (_, begin: string, end: string) => `${begin}\n${sections.join('\n')}\n${end}`,
  );
}

function sectionOf(route: string, help: string): string {
  const [, text = '', rest = ''] =
    /^ {2}\S.*--help\n\n(.*?)\n\n((?:EXAMPLES|FLAGS|ARGUMENTS)\n.*)/ms.exec(help) ?? [];
  const [, example = route] = /^EXAMPLES\n {2}(.*)$/m.exec(rest) ?? [];
  const flags = [...rest.matchAll(/^ .*?\[?--([a-z-]+)\S*? {2,}(.*)$/gm)]
    .filter(([, name = '']) => !COMMON.test(name) || (route === 'sitecast dev' && name !== 'help'))
    .map(([, name = '', meaning = '']) => {
      const [brief = '', allowed] = meaning.split(/ {2,}/);
      return `- \`--${name}\`: ${brief}${allowed === undefined ? '' : ` ${allowed}`}`;
    });
  const parts = [
    `## ${route.replace('sitecast ', '')}`,
    text,
    `\`\`\`sh\n${example}\n\`\`\``,
    flags.join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
