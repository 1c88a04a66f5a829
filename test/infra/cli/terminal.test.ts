import { expect, it } from 'vitest';
import { CliError } from '../../../infra/cli/cli-error.ts';
import { asTyped, reporting } from '../../../infra/cli/report.ts';
import { type CliContext } from '../../../infra/cli/terminal.ts';

function fakeStream(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 12, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

it('a program learns the id of a command also if waiting fails', async () => {
  const { stream, written } = fakeStream(false);
  const context = { process: { stdout: stream } } as unknown as CliContext;
  const failure = new CliError('Waiting ended.');
  const reported = reporting(context, true, () =>
    Promise.resolve({ document: { id: '1' }, failure }),
  );
  await expect(reported).rejects.toBe(failure);
  expect(written.map((text) => JSON.parse(text) as object)).toEqual([
    { id: '1', error: { name: 'CliError', message: 'Waiting ended.' } },
  ]);
});

it('commands are named as they have to be typed', () => {
  const text = 'Sitecast: sitecast resume --all';
  expect(asTyped(text, {})).toBe(text);
  expect(asTyped(text, { npm_lifecycle_event: 'sitecast' })).toBe(
    'Sitecast: npm run sitecast -- resume --all',
  );
});
