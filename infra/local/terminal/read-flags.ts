import { parseArgs, type ParseArgsConfig } from 'node:util';

type FlagConfigs = NonNullable<ParseArgsConfig['options']>;

/** A flag is invalid. The message names it, its value and the allowed values. */
export class OptionInvalidError extends Error {
  override readonly name = 'OptionInvalidError';
}

/** Maximum edits between a flag and the one that is suggested instead. */
const MAX_EDITS = 3;

/**
 * Reads flags; `-h` is short for `--help`.
 *
 * @param command how to list the flags: `npm start -- --help`.
 * @throws OptionInvalidError for an unknown flag, naming the nearest one, and for anything else that
 *   `parseArgs` refuses.
 */
export function readFlags<T extends FlagConfigs>(
  args: readonly string[],
  options: T,
  command: string,
) {
  const unknown = findUnknown(args, Object.keys(options));
  if (unknown !== undefined) {
    const nearest = findNearest(unknown, Object.keys(options));
    const suggestion = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
    throw new OptionInvalidError(
      `There is no flag ${unknown}.${suggestion} Run ${command} to list the flags.`,
    );
  }
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    // The sentences that follow the first are about arguments that begin with a dash.
    const [problem = ''] = (error as Error).message.split('. ');
    throw new OptionInvalidError(
      `${problem.replaceAll('\n', ' ')}. Run ${command} to list the flags.`,
    );
  }
}

function findUnknown(args: readonly string[], names: readonly string[]): string | undefined {
  return args
    .filter((arg) => /^-[^\d]/.test(arg) && arg !== '-h')
    .map((arg) => arg.split('=', 1).join())
    .find((flag) => !flag.startsWith('--') || !names.includes(flag.slice(2)));
}

/** The name with the fewest edits, if there are few enough. */
export function findNearest(text: string, names: readonly string[]): string | undefined {
  const word = text.replace(/^-+/, '').toLowerCase();
  const [nearest] = names
    .map((name) => ({ name, edits: name.startsWith(word) ? 1 : countEdits(word, name) }))
    .sort((a, b) => a.edits - b.edits);
  const isNear = nearest !== undefined && nearest.edits <= Math.min(MAX_EDITS, word.length / 2);
  return isNear ? nearest.name : undefined;
}

/** Insertions, deletions and replacements from one word to the other (Levenshtein). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of from.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of to.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
