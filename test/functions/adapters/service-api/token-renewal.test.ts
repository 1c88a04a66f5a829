import { beforeEach, expect, it } from 'vitest';
import { TokenRenewal } from '../../../../functions/adapters/service-api/token-renewal.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MIN_AGE_MS = 10_000;

let issued: number;
let clock: ManualClock;
let renewal: TokenRenewal;

/** Renews as a list that is refused with a token, which is old enough. */
const renew = (path: string, token: string) => {
  clock.advance(MIN_AGE_MS);
  return renewal.renew(path, token, undefined);
};

beforeEach(() => {
  issued = 1;
  clock = new ManualClock();
  const get = () => Promise.resolve(`token-${issued}`);
  const next = (rejected: string) => {
    if (rejected === `token-${issued}`) issued += 1;
    return get();
  };
  renewal = new TokenRenewal({ get, renew: next }, clock);
});

it('A list that is refused again renews no token with which others are read', async () => {
  expect(await renew('/a', 'token-1')).toBe(true);
  renewal.noteRead('/b', 'token-2');
  expect(await renew('/a', 'token-2')).toBe(false);
  expect(issued).toBe(2);
});

it('A list that was read since it was refused renews the token', async () => {
  await renew('/a', 'token-1');
  renewal.noteRead('/a', 'token-2');
  expect(await renew('/a', 'token-2')).toBe(true);
});
