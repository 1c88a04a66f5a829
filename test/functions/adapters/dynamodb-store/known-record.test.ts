import { describe, expect, it } from 'vitest';
import {
  knownFromRecord,
  knownToRecord,
} from '../../../../functions/adapters/dynamodb-store/known-record.ts';
import { knownOf } from '../../../support/samples.ts';

const known = knownOf('f1');

describe('a known entity that was read', () => {
  it('is what was written', () => {
    const all = { ...known, nested: { sheets: 'd1' }, missing: true, digests: { name: 'd2' } };
    for (const written of [known, all]) {
      expect(knownFromRecord(known.key, knownToRecord(written, 0))).toEqual(written);
    }
  });

  it('has its content in every copy', () => {
    const read = knownFromRecord(known.key, knownToRecord(known, 0));
    expect({ ...read, missing: true }).toEqual({ ...known, missing: true });
    expect(structuredClone({ ...read })).toEqual(known);
  });
});
