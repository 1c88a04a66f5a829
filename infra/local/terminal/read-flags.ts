import { parseArgs, type ParseArgsConfig } from 'node:util';
import { findNearest } from '../../config/find-nearest.ts';
import { keptByNpm } from './kept-by-npm.ts';

type FlagConfigs = NonNullable<ParseArgsConfig['options']>;

/** A flag is invalid. The message names it, its value and the allowed values. */
export class OptionInvalidError extends Error {
  override readonly name = 'OptionInvalidError';
}

/**
 * Reads flags; `-h` is short for `--help`.
 *
 * @param command how to list the flags: `npm start -- --help`.
 * @throws OptionInvalidError for a flag that npm kept for itself, for an unknown one, naming the nearest, and for anything else
 *   that `parseArgs` refuses.
 */
export function readFlags<T extends FlagConfigs>(
  args: readonly string[],
  options: T,
  command: string,
) {
  const kept = keptByNpm(Object.keys(options));
  if (kept !== undefined) throw new OptionInvalidError(`${kept} Run ${command} to list the flags.`);
  const unknown = findUnknown(args, Object.keys(options));
  if (unknown !== undefined) {
    const nearest = findNearest(unknown.replace(/^-+/, ''), Object.keys(options));
    const suggestion = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
    throw new OptionInvalidError(
      `There is no flag ${unknown}.${suggestion} Run ${command} to list the flags.`,
    );
  }
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw new OptionInvalidError(
      `${describeProblem((error as Error).message)}. Run ${command} to list the flags.`,
    );
  }
}

/** @param message of `parseArgs`, on one line or two. */
function describeProblem(message: string): string {
  const [problem = ''] = message.replaceAll('\n', ' ').split('. ');
  const [, name] = /^Option '(--[\w-]+)' argument is ambiguous/.exec(message) ?? [];
  // `--seconds -3`
  return name === undefined
    ? problem
    : `${name} has no value; a value that begins with a dash is written ${name}=-…`;
}

function findUnknown(args: readonly string[], names: readonly string[]): string | undefined {
  return args
    .filter((arg) => /^-[^\d]/.test(arg) && arg !== '-h')
    .map((arg) => arg.split('=', 1).join())
    .find((flag) => !flag.startsWith('--') || !names.includes(flag.slice(2)));
}
