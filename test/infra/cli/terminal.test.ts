import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CliError } from '../../../infra/cli/cli-error.ts';
import { reporting } from '../../../infra/cli/report.ts';
import { formatProgress, ProgressLine, type CliContext } from '../../../infra/cli/terminal.ts';
import { waitUntilDone } from '../../../infra/cli/wait-until-done.ts';

function fakeStream(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 12, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

describe('the progress line', () => {
  it.each([
    [true, ['\r\u001B[K⠋ Waiting f', '\r\u001B[K⠙ Waiting f', '\r\u001B[K']],
    [false, []],
  ])('with a terminal: %s', (isTTY, expected) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { stream, written } = fakeStream(isTTY);
    const progress = new ProgressLine(stream);
    progress.show('Waiting for the next runs');
    vi.advanceTimersByTime(200);
    progress.end();
    expect(written).toEqual(expected);
  });
});

it.each([
  [4, 1, '███████████████░░░░░ 3 of 4 lists'],
  [0, 0, '████████████████████ 0 of 0 lists'],
  [3, 5, '░░░░░░░░░░░░░░░░░░░░ 0 of 3 lists'],
])('a bar shows how many lists are done: %i lists, %i left', (listCount, leftCount, bar) => {
  expect(formatProgress(listCount, leftCount)).toBe(bar);
});

describe('waiting for jobs', () => {
  let stopping = new AbortController();

  /** Looks that see so many lists left, then the last of it; time passes by sleeping only. */
  async function wait(...looks: (number | 'gone' | 'stop')[]) {
    stopping = new AbortController();
    const sleeps: number[] = [];
    let time = 0;
    const look = () => {
      const seen = (looks.length > 1 ? looks.shift() : looks[0]) ?? 0;
      if (seen === 'stop') stopping.abort();
      if (seen === 'gone') return Promise.resolve(undefined);
      const waiting = typeof seen === 'number' ? seen : 1;
      const rest = { outcomes: {}, counts: {}, problems: [] };
      const job = { id: '1', command: 'replay', startedAt: '', lists: 9, waiting } as const;
      return Promise.resolve({ ...job, ...rest });
    };
    const clock = {
      now: () => time,
      sleep: (milliseconds: number) => {
        sleeps.push(milliseconds);
        time += milliseconds;
        return Promise.resolve();
      },
    };
    const seen = await waitUntilDone('replay', look, stopping.signal, clock);
    return { sleeps, seen };
  }

  it('ends once none waits, or they are gone', async () => {
    expect((await wait(2, 1, 0)).sleeps).toEqual([500, 1000, 2000]);
    expect((await wait(2, 'gone')).seen).toBeUndefined();
  });

  it('goes on as long as there is progress', async () => {
    const looks = Array.from({ length: 200 }, (_, n) => 200 - n);
    expect((await wait(...looks, 0)).sleeps.length).toBeGreaterThan(200);
  });

  it('ends when the operator stops it, and says that they go on', async () => {
    await expect(wait(1, 'stop')).rejects.toMatchObject({
      message: 'Waiting ended after 1 s: replay is not done yet.',
      hint: 'It goes on: sitecast status shows how far it is, and sitecast cancel ends it.',
    });
  });

  it('gives up after five minutes without progress', async () => {
    await expect(wait(1)).rejects.toMatchObject({
      message: 'Waiting ended after 5 min: replay is not done yet.',
      exitCode: 1,
    });
  });
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
