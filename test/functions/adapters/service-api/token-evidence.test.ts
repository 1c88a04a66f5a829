import { expect, it } from 'vitest';
import { TokenEvidence } from '../../../../functions/adapters/service-api/token-evidence.ts';

const requestOf = (path: string) => ({ path, isList: true });

it('an answer that comes late does not replace that of a later request', () => {
  const evidence = new TokenEvidence();
  const [first, second] = [evidence.nextOrder(), evidence.nextOrder()];
  evidence.accept(requestOf('/b'), { token: 'new', order: second });
  evidence.accept(requestOf('/a'), { token: 'old', order: first });
  expect(evidence.isAccepted('old')).toBe(false);
  expect(evidence.isAcceptedSince({ token: 'new', order: first })).toBe(true);
  expect(evidence.isAcceptedSince({ token: 'new', order: second })).toBe(false);
});

it('a token that was refused when it was fresh may have expired ten seconds later', () => {
  const evidence = new TokenEvidence();
  evidence.refuse('token', 1_000);
  expect(evidence.isFreshlyRefused('token', 10_999)).toBe(true);
  expect(evidence.isFreshlyRefused('other', 10_999)).toBe(false);
  expect(evidence.isFreshlyRefused('token', 11_000)).toBe(false);
  // The clock was ahead when it was refused.
  expect(evidence.isFreshlyRefused('token', -9_000)).toBe(false);
});

it('a token that was refused when it was fresh may have expired if it was accepted since', () => {
  const evidence = new TokenEvidence();
  evidence.refuse('token', 1_000);
  evidence.accept(requestOf('/a'), { token: 'token', order: evidence.nextOrder() });
  expect(evidence.isFreshlyRefused('token', 1_001)).toBe(false);
});

it('a request to send again has a path other than the refused one', () => {
  const evidence = new TokenEvidence();
  const request = { ...requestOf('/a'), query: { last_synced_at: '2026' } };
  evidence.accept(request, { token: 'token', order: evidence.nextOrder() });
  expect(evidence.sampleFor('token', '/b')).toEqual(request);
  expect(evidence.sampleFor('token', '/a')).toBeUndefined();
  expect(evidence.sampleFor('other', '/b')).toBeUndefined();
});
