import { describe, expect, it } from 'vitest';
import {
  joinParts,
  pollHistoryParts,
} from '../../../../functions/adapters/dynamodb/poll-history.ts';
import { noise } from '../../../support/samples.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const long = noise(3000);
const other = noise(3000, 2);

describe('a saved poll history', () => {
  it('is undefined when a part is missing, or was saved at another time', () => {
    const [mine, theirs] = [long, other].map((text) => pollHistoryParts(bytes(text), 500));
    if (mine === undefined || theirs === undefined) throw new Error('no parts');
    expect(joinParts([])).toBeUndefined();
    expect(joinParts(mine.slice(0, -1))).toBeUndefined();
    expect(joinParts(mine.slice(1))).toBeUndefined();
    expect(joinParts([...mine.slice(0, 1), ...theirs.slice(1)])).toBeUndefined();
  });

  it('is undefined when it cannot be read', () => {
    const [part] = pollHistoryParts(bytes('short'));
    expect(joinParts([{ ...part, data: bytes('not gzipped') }])).toBeUndefined();
    expect(joinParts([{ s: 'x' }])).toBeUndefined();
    expect(joinParts([{}])).toBeUndefined();
  });
});
