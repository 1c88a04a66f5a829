import { generateHelpTextForAllCommands } from '@stricli/core';
import { makeApplication } from '../../../infra/cli/application.ts';

/** Flags that the page explains once. */
const COMMON = /^(stage|stack|local|region|profile|list|project|resource|all|dry-run|json|help)$/;

/** The help of each command of `sitecast`, by its words: `sitecast webhooks list`. */
export function readHelp(): ReadonlyMap<string, string> {
  return new Map(generateHelpTextForAllCommands(makeApplication() as never));
}

/** A section of the page of commands for each, with what `--help` prints of it. */
export function commandSections(): string {
  return [...readHelp()].map(([route, help]) => sectionOf(route, help)).join('\n');
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
