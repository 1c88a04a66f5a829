import { expect, it } from 'vitest';
import { cronProblem } from '../../../functions/settings/cron-problem.ts';

const NAMES = ['minutes', 'hours', 'day of month', 'month', 'day of week', 'year'];

/** The names of the fields that the problem of an expression names with their values. */
function refused(fields: string): string[] {
  const problem = cronProblem(`cron(${fields})`) ?? '';
  const values = fields.split(' ');
  return NAMES.filter((name, i) => {
    const part = problem.split('; ').find((each) => each.startsWith(`${name} from `)) ?? '';
    return part.endsWith(`, not ${JSON.stringify(values[i])}`);
  });
}

// Examples of the documentation of EventBridge Scheduler, and forms that AWS was seen to take.
it.each([
  '0 10 * * ? *',
  '15 12 ? * * *',
  '0 18 ? * MON-FRI *',
  '0 8 1 * ? *',
  '0/15 * * * ? *',
  '0/5 8-17 ? * 2-6 *',
  '0 0/12 L JAN,MAR-MAY ? 2026',
  '15 10 ? * 6L 2022-2023',
  '15 10 ? * L 2022/2',
  '0 9 ? * FRI#2 *',
  '0 9 15W * ? 2026,2199',
  '0-15/1 8-8 ? * 2,3,4,5,6,7 *',
  '*/30 05 1-31/30 1/3 ? 1970-2199/10',
])('takes cron(%s)', (fields) => {
  expect(cronProblem(`cron(${fields})`)).toBeUndefined();
});

it.each([
  ['60 25 32 13 ? abcd', ['minutes', 'hours', 'day of month', 'month', 'year']],
  ['-1 24 0 0 ? 1969', ['minutes', 'hours', 'day of month', 'month', 'year']],
  ['0, ,3 1-2-3 JAN-FEV ? 2200', ['minutes', 'hours', 'day of month', 'month', 'year']],
  ['5-1 8- ? * FRI-MON *', ['minutes', 'hours', 'day of week']],
  ['*/0 0/24 */60 */x ? */230', ['minutes', 'hours', 'day of month', 'month', 'year']],
  ['? L 32W L ? W', ['minutes', 'hours', 'day of month', 'month', 'year']],
  ['0 3 ? * 8 *', ['day of week']],
  ['0 3 ? * 0L *', ['day of week']],
  ['0 3 ? * MON#6 *', ['day of week']],
  ['0 3 ? * 3#1,6#3 *', ['day of week']],
  ['0 3 ? * 1/2 *', ['day of week']],
  ['0 3 ? * mon *', ['day of week']],
  ['0 3 1,L * ? *', ['day of month']],
])('refuses cron(%s) by field and value', (fields, names) => {
  expect(refused(fields)).toEqual(names);
});

it.each(['0 3 * * * *', '0 3 1 * MON *', '0 3 ? * ? *'])(
  'wants a question mark for one of the two days: cron(%s)',
  (fields) => {
    expect(cronProblem(`cron(${fields})`)).toContain('"?"');
  },
);
