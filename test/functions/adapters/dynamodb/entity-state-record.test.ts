import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  stateFromRecord,
  stateToRecord,
} from '../../../../functions/adapters/dynamodb/entity-state-record.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import type { JsonObject } from '../../../../functions/core/model/entity.ts';
import { parseJson } from '../../../../functions/core/model/json/json.ts';
import { anyOf } from '../../../support/arbitraries.ts';
import { stateOf, readState } from '../../../support/samples.ts';

const known = stateOf('f1');

describe('an entity state that was loaded', () => {
  it('equals the state that was saved', () => {
    const inferred = known.version;
    const all = { ...known, nested: { sheets: 'd1' }, inferred, digests: { name: 'd2' } };
    const published = { ...known, event: '["c"]' };
    for (const written of [known, published, all, { ...all, ...published, unpublished: {} }]) {
      const read = stateFromRecord(known.key, stateToRecord(written, 0));
      expect(readState(read)).toEqual(readState(written));
    }
  });

  it.each(['', 'x'.repeat(5_000)])('has all numbers as the service wrote them', (name) => {
    const json = `{"id":"f1","a":[9007199254740993,1e400],"name":"${name}"}`;
    const content = () => parseJson(json) as JsonObject;
    const unpublished = { previous: content() };
    const read = stateFromRecord(known.key, stateToRecord({ ...known, content, unpublished }, 0));
    expect(JSON.stringify(read.content?.())).toBe(json);
    expect(JSON.stringify(read.unpublished?.previous)).toBe(json);
  });

  it('is deleted by the table an hour after its end at the earliest, since no run is longer', () => {
    const record = stateToRecord({ ...known, deleted: true, expiresAt: 1_500 }, 0);
    expect(record.z).toBe(2 + 3600);
    expect(stateFromRecord(known.key, record).expiresAt).toBe(2_000);
  });

  it('keeps its content in a copy', () => {
    const read = stateFromRecord(known.key, stateToRecord(known, 0));
    expect(readState({ ...read, inferred: known.version })).toEqual(
      readState({ ...known, inferred: known.version }),
    );
  });
});

/** Bytes of an item besides its keys. */
function bytesOf(record: object): number {
  return Object.entries(record)
    .map(([name, value]) => name.length + (value === true ? 1 : Buffer.byteLength(String(value))))
    .reduce((sum, bytes) => sum + bytes, 0);
}

describe('the content of an entity state', () => {
  const time = fc.constantFrom('2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000001Z');
  const other = anyOf<Pick<EntityState, 'inferred' | 'nested' | 'unpublished' | 'event'>>(
    {
      inferred: fc.constant('2024-01-01T00:00:00.000Z'),
      event: fc.constant('["u","größe"]'),
      nested: fc.constant({ sheets: 'é' }),
      unpublished: fc.constant({ previous: { größe: 'ß' } }),
    },
    [],
  );

  it('is deflated when that saves a write unit, whatever else the state holds', () => {
    const frame = fc.tuple(time, time, fc.boolean(), other);
    const sizes = fc.tuple(fc.nat(100), fc.integer({ min: -2, max: 2 }));
    fc.assert(
      fc.property(frame, sizes, ([version, sequence, deleted, fields], [keyBytes, distance]) => {
        const write = (name: string) => {
          const content = () => ({ name });
          const written = { key: known.key, version, sequence, deleted, content, ...fields };
          const record = stateToRecord(written, keyBytes);
          expect(readState(stateFromRecord(known.key, record))).toEqual(readState(written));
          return record;
        };
        const missingBytes = 1024 - keyBytes - bytesOf(write(''));
        const { c } = write('x'.repeat(missingBytes + distance));
        expect(typeof c).toBe(distance <= 0 ? 'string' : 'object');
      }),
      { numRuns: 500 },
    );
  });
});
