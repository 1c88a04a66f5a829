import { describe, expect, it } from 'vitest';
import type { QuarantineItem } from '../../../functions/control/protocol.ts';
import {
  formatChange,
  formatItem,
  formatItems,
} from '../../../infra/cli/commands/format-quarantine.ts';

const ENTITY: QuarantineItem = {
  id: '3f9a12c4d0e1f2a3b4c5d6e7f8a9b0c1',
  kind: 'entity',
  list: 'projects/1/floorplans',
  at: '2026-11-20T10:00:00.000Z',
  reason: `deleted_at must be a timestamp\nor null, got "never"${'.'.repeat(60)}`,
  subject: '/projects/1/floorplans/f',
};
const EVENT: QuarantineItem = {
  ...ENTITY,
  id: '77ab01fe',
  kind: 'event',
  list: 'projects',
  reason: 'Refused',
};
const LAYOUT = {
  paint: (_: string, text: string) => text,
  limit: 20,
  now: Date.parse('2026-11-22T10:00:00.000Z'),
};

describe('the quarantine for people', () => {
  it('is a table, with the number of those that are not shown', () => {
    const items = [ENTITY, EVENT];
    const answer = { command: 'quarantine-list', matchCount: 2, items } as const;
    expect(formatItems(answer, LAYOUT)).toBe(
      `ID        AGE  KIND    LIST                   REASON
3f9a12c4  2 d  entity  projects/1/floorplans  deleted_at must be a timestamp or null, got "never".............................…
77ab01fe  2 d  event   projects               Refused`,
    );
    expect(formatItems(answer, { ...LAYOUT, limit: 1 })).toMatch(
      /\n… and 1 more \(--limit 0 shows all\)$/,
    );
  });

  it('may be empty', () => {
    const answer = { command: 'quarantine-list', matchCount: 0, items: [] } as const;
    expect(formatItems(answer, LAYOUT)).toBe('The quarantine is empty.');
    expect(formatItems(answer, { ...LAYOUT, isScoped: true })).toBe(
      'The quarantine has nothing of these lists.',
    );
  });

  it('shows an item whole', () => {
    const item = { ...EVENT, value: { id: 'a' } };
    expect(formatItem({ command: 'quarantine-show', item })).toMatch(
      /^id {7}77ab01fe\nkind {5}event\nlist {5}projects\n[^]*reason {3}Refused\n[^]*\{\n {2}"id": "a"\n\}$/,
    );
  });

  it('tells what was done, and what was not', () => {
    const answer = { command: 'quarantine-retry' } as const;
    const skipped = [{ item: EVENT, reason: 'its list is paused' }];
    expect(formatChange({ ...answer, matchCount: 1, items: [ENTITY], skipped }, false)).toBe(
      '1 item is tried again: 3f9a12c4.\n77ab01fe stays in the quarantine: its list is paused.',
    );
    const drop = { ...answer, command: 'quarantine-drop', skipped: [] } as const;
    expect(formatChange({ ...drop, matchCount: 2, items: [ENTITY, EVENT] }, true)).toBe(
      '2 items would be dropped: 3f9a12c4, 77ab01fe. Nothing was changed.',
    );
    expect(formatChange({ ...drop, matchCount: 0, items: [] }, false)).toBe('0 items are dropped.');
  });
});
