import { describe, expect, it } from 'vitest';
import { OutOfTimeError, whileHeld } from '../../../../functions/adapters/shared/while-held.ts';
import { endedGuard, guardFor } from '../../../support/samples.ts';

describe('a call', () => {
  it('is not made after the lease is lost', async () => {
    const { guard, loss } = endedGuard();
    let isMade = false;
    const call = () => {
      isMade = true;
      return Promise.resolve();
    };
    await expect(whileHeld({ guard }, call)).rejects.toBe(loss);
    expect(isMade).toBe(false);
  });

  it('returns its result, and gets no signal without a guard', async () => {
    const { guard } = guardFor(5);
    const options = (given: { readonly abortSignal?: AbortSignal }) => Promise.resolve(given);
    expect(await whileHeld({ guard }, options)).toEqual({ abortSignal: guard.signal });
    expect(await whileHeld({}, options)).toEqual({});
  });

  it('that is in flight when the lease is lost is abandoned, and rejects with the loss', async () => {
    const { loss } = endedGuard();
    const ends = new AbortController();
    let isOver = false;
    const guard = {
      assertHeld: () => {
        if (isOver) throw loss;
      },
      signal: ends.signal,
    };
    const call = whileHeld(
      { guard },
      ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal?.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }),
    );
    isOver = true;
    ends.abort(loss);
    await expect(call).rejects.toBe(loss);
  });

  it('is not made when no time is left, and aborted when its time is up', async () => {
    const made: unknown[] = [];
    const hang = ({ abortSignal }: { readonly abortSignal?: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        made.push(abortSignal);
        abortSignal?.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    const outOf = (leftMs: number) => whileHeld({ leftMs: () => leftMs, callee: 'Queue q' }, hang);
    await expect(outOf(0)).rejects.toThrow('Queue q gave no answer before the run had to end');
    expect(made).toHaveLength(0);
    await expect(outOf(0.5)).rejects.toThrow(OutOfTimeError);
    await expect(outOf(0)).rejects.toMatchObject({ name: 'OutOfTimeError' });
    await expect(whileHeld({ leftMs: () => 0 }, hang)).rejects.toThrow('AWS gave no answer');
    expect(made).toHaveLength(1);
    expect(await whileHeld({ leftMs: () => 10_000 }, () => Promise.resolve('answer'))).toBe(
      'answer',
    );
  });

  it('that fails while the lease is held, or without a guard, fails with its own error', async () => {
    const away = new Error('table is away');
    const { guard } = guardFor(5);
    await expect(whileHeld({ guard }, () => Promise.reject(away))).rejects.toBe(away);
    await expect(whileHeld({}, () => Promise.reject(away))).rejects.toBe(away);
  });
});
