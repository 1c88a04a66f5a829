import { expect, it } from 'vitest';
import { CliError } from '../../../infra/cli/cli-error.ts';
import { asTyped, documentOf, reporting } from '../../../infra/cli/report.ts';
import { type CliContext } from '../../../infra/cli/terminal.ts';

it('a program learns the id of a command also if waiting fails', async () => {
  const context = { process } as unknown as CliContext;
  const failure = new CliError('Waiting ended.');
  const reported = reporting(context, true, () =>
    Promise.resolve({ document: { id: '1' }, failure }),
  );
  await expect(reported).rejects.toBe(failure);
  expect(documentOf(failure)).toEqual({
    ...{ id: '1', error: { name: 'CliError', message: 'Waiting ended.' } },
  });
});

it('commands are named as they have to be typed', () => {
  const text = 'Sitecast: sitecast resume --all';
  expect(asTyped(text, {})).toBe(text);
  expect(asTyped(text, { npm_lifecycle_event: 'sitecast' })).toBe(
    'Sitecast: npm run sitecast -- resume --all',
  );
});
