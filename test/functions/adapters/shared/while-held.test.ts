import { describe, expect, test } from 'vitest';
import { whilePermitted } from '../../../../functions/adapters/shared/while-held.ts';
import { endedPermit, permitFor } from '../../../support/samples.ts';

describe('a call', () => {
  test('is not made when the permit has ended', async () => {
    const { permit, loss } = endedPermit();
    let isMade = false;
    const call = () => {
      isMade = true;
      return Promise.resolve();
    };
    await expect(whilePermitted(permit, call)).rejects.toBe(loss);
    expect(isMade).toBe(false);
  });

  test('has its result, and without a permit no signal', async () => {
    const { permit } = permitFor(5);
    const options = (given: { readonly abortSignal?: AbortSignal }) => Promise.resolve(given);
    expect(await whilePermitted(permit, options)).toEqual({ abortSignal: permit.signal });
    expect(await whilePermitted(undefined, options)).toEqual({});
  });

  test('that is under way when the permit ends is given up, and the loss is told', async () => {
    const { loss } = endedPermit();
    const ends = new AbortController();
    let isOver = false;
    const permit = {
      check: () => {
        if (isOver) throw loss;
      },
      signal: ends.signal,
    };
    const call = whilePermitted(
      permit,
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

  test('that fails while it is permitted, or needs no permit, fails with its own error', async () => {
    const away = new Error('table is away');
    const { permit } = permitFor(5);
    await expect(whilePermitted(permit, () => Promise.reject(away))).rejects.toBe(away);
    await expect(whilePermitted(undefined, () => Promise.reject(away))).rejects.toBe(away);
  });
});
