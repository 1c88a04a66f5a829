import { describe, expect, it } from 'vitest';
import {
  isKnownEvent,
  parseChangeEvent,
  type ChangeEvent,
} from '../../../../functions/core/contract/index.ts';
import { eventOf } from '../../../support/samples.ts';

describe('the known types', () => {
  it.each([
    ['floorplan.updated', true],
    ['floorplan.updated.v2', false],
    ['photo.updated', false],
  ])('decide whether %s is one', (type, isKnown) => {
    const event = { ...eventOf('a'), type, dataschema: `urn:sitecast:schema:${type}:1` };
    const parsed = parseChangeEvent(JSON.stringify(event)) as ChangeEvent;
    expect(isKnownEvent(parsed)).toBe(isKnown);
  });
});
