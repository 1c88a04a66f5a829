/** Breaks a paragraph into lines of at most 100 characters. */
export function wrap(text: string, indent = ''): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < 100)
      lines[lines.length - 1] += ` ${word}`;
    else lines.push(line === undefined ? word : indent + word);
  }
  return lines.join('\n');
}
