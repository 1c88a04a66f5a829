import { expect, it } from 'vitest';
import EndpointCache from '../../../functions/poll/endpoint-cache.ts';

it('keeps what it is given until it is cleared, as the cache that it replaces', () => {
  const cache = new EndpointCache<string>();
  expect([cache.has('a'), cache.get('a')]).toEqual([false, undefined]);
  cache.set('a', 'b');
  expect([cache.has('a'), cache.get('a'), cache.peek('a')]).toEqual([true, 'b', 'b']);
  cache.clear();
  expect(cache.has('a')).toBe(false);
});
