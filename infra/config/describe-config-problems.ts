import type * as z from 'zod/mini';
import { describeProblems } from '../../functions/settings/describe-problems.ts';
import { findNearest } from './find-nearest.ts';

const UNKNOWN = /^(.*?)([^.[\] ]+) is not known; allowed: the fields (.*)$/;

/**
 * Describes each problem once. A mistyped field names the one that it most likely means, which is
 * not missing as well.
 *
 * @param input the value that was checked.
 */
export function describeConfigProblems(error: z.core.$ZodError, input: unknown): string {
  const meant: string[] = [];
  const lines = describeProblems(error, input)
    .split('\n')
    .map((line) => {
      const [, path = '', name, fields = ''] = UNKNOWN.exec(line) ?? [];
      const nearest = name === undefined ? undefined : findNearest(name, fields.split(', '));
      if (name === undefined || nearest === undefined) return line;
      meant.push(`${path}${nearest} is missing; `);
      return `${path}${name} is not known; did you mean "${nearest}"?`;
    });
  return lines.filter((line) => !meant.some((start) => line.startsWith(start))).join('\n');
}
