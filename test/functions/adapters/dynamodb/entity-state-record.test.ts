import { describe, expect, it } from 'vitest';
import {
  stateFromRecord,
  stateToRecord,
} from '../../../../functions/adapters/dynamodb/entity-state-record.ts';
import type { JsonObject } from '../../../../functions/core/model/entity.ts';
import { parseJson } from '../../../../functions/core/model/json/json.ts';
import { stateOf } from '../../../support/samples.ts';

const known = stateOf('f1');

describe('an entity state that was loaded', () => {
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
  });
});
