import { expect, it } from 'vitest';
import { systemClock } from '../../functions/adapters/clock/system-clock.ts';
import type { PartialApi } from '../support/complete-api.ts';
import { intercept } from '../support/intercept.ts';
import { floorplansOf, liveSite } from '../support/site.ts';

/** A client that, like the real one, needs some microtasks to send a request. */
function busyClient(api: PartialApi, onSent: (path: string) => void): PartialApi {
  return {
    async fetchPage(request, signal) {
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      onSent(request.path);
      return api.fetchPage(request, signal);
    },
  };
}

it('the next page is requested before the current page is processed', async () => {
  const site = await liveSite();
  for (let n = 10; n < 14; n += 1) site.floorplan('p', `new${n}`, n);
  const seen: string[] = [];
  const api = busyClient(site.api, (path) => {
    if (path === floorplansOf('p')) seen.push('asked');
  });
  const store = intercept(site.store, ({ name, proceed }) => {
    if (name === 'loadStates') seen.push('worked');
    return proceed();
  });
  await site.poll({}, { api, store, clock: systemClock });
  expect(seen.slice(0, 2)).toEqual(['asked', 'asked']);
  expect(seen).toContain('worked');
});
