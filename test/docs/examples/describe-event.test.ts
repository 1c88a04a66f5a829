import { describe, expect, it } from 'vitest';
import { describeEvent } from '../../../docs/examples/describe-event.ts';
import { eventOf } from '../../support/samples.ts';

const readNothing = (): Promise<string> => Promise.reject(new Error('no event is large here'));

describe('describeEvent', () => {
  it.each([
    ['a known type', {}, 'North: name'],
    [
      'a delete',
      { type: 'project.deleted', dataschema: 'urn:sitecast:schema:project.deleted:1' },
      'North is gone',
    ],
    ['an unknown type', { type: 'floorplan.updated.v2' }, undefined],
  ])('describes %s', async (_, attributes, expected) => {
    const text = JSON.stringify({ ...eventOf('a'), ...attributes });
    expect(await describeEvent(text, readNothing)).toBe(expected);
  });
});
