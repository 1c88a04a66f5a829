import { describe, expect, it } from 'vitest';
import {
  joinParts,
  pollHistoryParts,
} from '../../../../functions/adapters/dynamodb/poll-history-record.ts';
import { noise } from '../../../support/samples.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (joined: Uint8Array | undefined) => joined && new TextDecoder().decode(joined);
const long = noise(3000);
const other = noise(3000, 2);

describe('what the planner saves', () => {
  it('comes back from as many parts as it takes', () => {
    const parts = pollHistoryParts(bytes(long), 500);
    expect(parts.length).toBeGreaterThan(2);
    expect(textOf(joinParts(parts))).toBe(long);
    expect(pollHistoryParts(bytes('short'))).toHaveLength(1);
    expect(textOf(joinParts(pollHistoryParts(bytes('short'))))).toBe('short');
  });

  it('does not care for parts that are left of something larger', () => {
    const parts = [
      ...pollHistoryParts(bytes('short'), 500),
      ...pollHistoryParts(bytes(long), 500).slice(1),
    ];
    expect(textOf(joinParts(parts))).toBe('short');
  });

  it('is nothing when a part is missing, or of another time', () => {
    const [mine, theirs] = [
      pollHistoryParts(bytes(long), 500),
      pollHistoryParts(bytes(other), 500),
    ];
    expect(joinParts([])).toBeUndefined();
    expect(joinParts(mine.slice(0, -1))).toBeUndefined();
    expect(joinParts(mine.slice(1))).toBeUndefined();
    expect(joinParts([...mine.slice(0, 1), ...theirs.slice(1)])).toBeUndefined();
  });

  it('is nothing when it cannot be read', () => {
    const [part] = pollHistoryParts(bytes('short'));
    expect(joinParts([{ ...part, d: { B: bytes('no deflated bytes') } }])).toBeUndefined();
    expect(joinParts([{ ...part, d: { S: 'text' } }])).toBeUndefined();
    expect(joinParts([{ s: { S: 'x' } }])).toBeUndefined();
    expect(joinParts([{}])).toBeUndefined();
  });
});
