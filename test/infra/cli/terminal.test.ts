import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CliError } from '../../../infra/cli/cli-error.ts';
import { reporting } from '../../../infra/cli/report.ts';
import { formatProgress, ProgressLine, type CliContext } from '../../../infra/cli/terminal.ts';
import { waitUntilCarriedOut } from '../../../infra/cli/wait-until-carried-out.ts';

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
  [27, 27, {}, '░░░░░░░░░░░░░░░░░░░░ 0 of 27 lists'],
  [27, 9, { lists: 2, events: 340, untold: 0 }, '█████████████░░░░░░░ 18 of 27 lists, 340 events'],
  [0, 0, {}, '████████████████████ 0 of 0 lists'],
  [3, 5, {}, '░░░░░░░░░░░░░░░░░░░░ 0 of 3 lists'],
])('a bar shows how far a command is: %i lists, %i left', (listCount, listsLeft, counts, bar) => {
  expect(formatProgress(listCount, { listsLeft, counts })).toBe(bar);
});

describe('waiting for a command', () => {
  let stopping = new AbortController();
  const pending = (listsLeft = 0) => ({
    ...{ id: '1', command: 'pause', scope: {}, placedAt: '', partitions: 1 },
    progress: { listsLeft, counts: {} },
  });

  /** Looks that see what is listed, then its last; time passes by sleeping only. */
  async function wait(...looks: (boolean | number | 'stop')[]) {
    stopping = new AbortController();
    const sleeps: number[] = [];
    let time = 0;
    const look = () => {
      const seen = (looks.length > 1 ? looks.shift() : looks[0]) ?? true;
      if (seen === 'stop') stopping.abort();
      if (seen === false) return Promise.resolve(undefined);
      return Promise.resolve(pending(typeof seen === 'number' ? seen : 0));
    };
    const clock = {
      now: () => time,
      sleep: (milliseconds: number) => {
        sleeps.push(milliseconds);
        time += milliseconds;
        return Promise.resolve();
      },
    };
    await waitUntilCarriedOut('pause', look, stopping.signal, clock);
    return sleeps;
  }

  it('ends once it was not seen twice, since a look may be behind', async () => {
    expect(await wait(false, true, false, false)).toEqual([500, 1000, 2000, 4000]);
    expect(await wait(true, true, true, true, false)).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
  });

  it('goes on as long as there is progress', async () => {
    const looks = Array.from({ length: 200 }, (_, n) => 200 - n);
    expect((await wait(...looks, false)).length).toBeGreaterThan(200);
  });

  it('ends when the operator stops it, and says that the command goes on', async () => {
    await expect(wait(true, 'stop')).rejects.toMatchObject({
      message: 'Waiting ended after 1 s: pause is not carried out yet.',
      hint: 'It goes on: sitecast status shows how far it is, and sitecast cancel takes it back.',
    });
  });

  it('gives up after five minutes without progress', async () => {
    await expect(wait(true)).rejects.toMatchObject({
      message: 'Waiting ended after 5 min: pause is not carried out yet.',
      hint: 'It stays placed, and sitecast status shows it. Is the schedule off, or does a run take long?',
      exitCode: 1,
    });
  });
});

it('a program learns the id of a command also if waiting fails', async () => {
  const { stream, written } = fakeStream(false);
  const context = { process: { stdout: stream } } as unknown as CliContext;
  const failure = new CliError('Waiting ended.');
  const reported = reporting(context, true, () =>
    Promise.resolve({ document: { id: '1', carriedOut: false }, failure }),
  );
  await expect(reported).rejects.toBe(failure);
  expect(written).toEqual(['{"id":"1","carriedOut":false}\n']);
});
