import { expect, it } from 'vitest';
import { CliError } from '../../../infra/cli/cli-error.ts';
import { asTyped, reporting } from '../../../infra/cli/report.ts';
import { formatProgress, ProgressLine, type CliContext } from '../../../infra/cli/terminal.ts';

function fakeStream(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 12, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

it.each([
  [true, ['\r\u001B[KWaiting for', '\r\u001B[K']],
  [false, []],
])('progress is one line of a terminal, and is gone at the end: %s', (isTTY, expected) => {
  const { stream, written } = fakeStream(isTTY);
  const progress = new ProgressLine(stream);
  progress.show('Waiting for the next runs');
  progress.end();
  expect(written).toEqual(expected);
});

it.each([
  [4, 1, '███████████████░░░░░ 3 of 4 lists'],
  [0, 0, '████████████████████ 0 of 0 lists'],
  [3, 5, '░░░░░░░░░░░░░░░░░░░░ 0 of 3 lists'],
])('a bar shows how many lists are done: %i lists, %i left', (listCount, leftCount, bar) => {
  expect(formatProgress(listCount, leftCount)).toBe(bar);
});

it('a program learns the id of a command also if waiting fails', async () => {
  const { stream, written } = fakeStream(false);
  const context = { process: { stdout: stream } } as unknown as CliContext;
  const failure = new CliError('Waiting ended.');
  const reported = reporting(context, true, () =>
    Promise.resolve({ document: { id: '1' }, failure }),
  );
  await expect(reported).rejects.toBe(failure);
  expect(written).toEqual(['{"id":"1"}\n']);
});

it('commands are named as they have to be typed', () => {
  const text = 'Sitecast: sitecast resume --all';
  expect(asTyped(text, {})).toBe(text);
  expect(asTyped(text, { npm_lifecycle_event: 'sitecast' })).toBe(
    'Sitecast: npm run sitecast -- resume --all',
  );
});
