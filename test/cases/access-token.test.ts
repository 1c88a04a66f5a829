import { expect, it } from 'vitest';
import { MINUTE_MS } from '../support/virtual-time.ts';
import { CaseSite, PLANS, TOKENS } from './case-site.ts';

const LIFETIME_MS = 15 * MINUTE_MS;

it.each([
  [
    'an error in a body with status 200',
    () => Response.json({ error: { code: 498, message: 'Invalid token.', details: [] } }),
  ],
  ['its login page', () => new Response('<!doctype html><title>Log in</title>')],
  ['a redirect to its login page', () => Response.redirect('https://service.example/login')],
])('A service shows by %s that a token has ended: it is exchanged again', async (_, refuse) => {
  let [issuedCount, issuedAt] = [0, 0];
  const site = new CaseSite({
    answer: ({ headers }, path, { time }) => {
      if (path === TOKENS) {
        issuedAt = time.now;
        return Response.json({ access_token: `token-${++issuedCount}` });
      }
      const isLatest = headers.get('authorization') === `Bearer token-${issuedCount}`;
      return isLatest && time.now < issuedAt + LIFETIME_MS ? undefined : refuse();
    },
  });
  await site.poll(20);
  expect(issuedCount).toBe(2);
  site.put(PLANS, 'f', { name: 'renamed' });
  expect(await site.poll(20)).toEqual(['floorplan.updated f']);
  expect(site.reports).toEqual([]);
});

it('The secret holds the refresh token as JSON, as the console of AWS offers it: the error says so', async () => {
  const site = new CaseSite({
    refreshToken: '{"refresh_token":"s3cret"}',
    answer: () => Response.json({ error: 'unknown_token' }, { status: 401 }),
  });
  await site.poll();
  const [report] = site.reports;
  expect(report).toMatch(/RefreshTokenRejectedError.* is JSON/);
  expect(report).not.toContain('s3cret');
});

it('Each exchange replaces the refresh token, and the old one is void: the error says so', async () => {
  let issuedCount = 0;
  const site = new CaseSite({
    answer: (_, path) => {
      if (path !== TOKENS) return undefined;
      if (++issuedCount > 1) return Response.json({ error: 'invalid_grant' }, { status: 401 });
      return Response.json({ access_token: 'a', refresh_token: 'next', expires_in: 60 });
    },
  });
  await site.poll(3);
  expect(site.reports.join()).toContain('replaced by a new refresh token');
});
