const segmenter = new Intl.Segmenter();

/** Counts characters as a reader does. */
export function lengthOf(text: string): number {
  return charactersOf(text).length;
}

function charactersOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cuts a text to a width; an ellipsis stands for the rest. */
export function clip(text: string, width: number): string {
  const characters = charactersOf(text);
  if (characters.length <= width) return text;
  return `${characters
    .slice(0, Math.max(width - 1, 0))
    .join('')
    .trimEnd()}…`;
}

/** Indentation of the lines that continue a wrapped one. */
const INDENT = '    ';

/** Wraps each line at its spaces. A word longer than the width stays whole, so it can be copied. */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n');
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const [part, word = ''] of line.matchAll(/ *([^ ]+)/g)) {
    if (current.trim() === '' || current.length + part.length <= width) {
      current += part;
    } else {
      lines.push(current);
      current = INDENT + word;
    }
  }
  return [...lines, current];
}
