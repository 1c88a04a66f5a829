/** A command of `sitecast` that a page prints. */
export interface PrintedCommand {
  /** As it is printed. */
  readonly text: string;
  /** Words after `sitecast`, with examples in place of what stands in angle brackets. */
  readonly args: readonly string[];
  /** Whether it stands in a block to be copied, not within a sentence. */
  readonly isBlock: boolean;
}

const COMMAND = /(?:npx |npm (?:-s )?run )?\bsitecast (?:-- )?([a-z<][^#|`;]*)/;

/** Finds the commands of `sitecast` on a page. */
export function findPrintedCommands(page: string): PrintedCommand[] {
  const blocks = [...page.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
  const prose = page.replaceAll(/^ *```.*?^ *```$/gms, '');
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return [
    ...blocks.flatMap((block) => block.split('\n')).flatMap((line) => parse(line, true)),
    ...spans.flatMap((span) => parse(span, false)),
  ];
}

function parse(line: string, isBlock: boolean): PrintedCommand[] {
  const [text = '', words = ''] = COMMAND.exec(line.replaceAll(/\s+/g, ' ')) ?? [];
  if (words === '' || words.startsWith('<command>')) return [];
  const args = words
    .replaceAll(/<time[^>]*>/g, '2h')
    .replaceAll('<id>', '3f9a12c4')
    .replaceAll(/<([a-z]+)[^>]*>/g, '$1')
    .replace(/`|\\$/, '')
    .trim()
    .split(' ');
  // xargs adds the last one.
  const completed = line.includes('xargs ') ? [...args, 'x'] : args;
  return [{ text: text.trim(), args: completed, isBlock }];
}
