import { describe, expect, it, vi } from 'vitest';
import { makeEvent, toClaimCheck } from '../../../functions/core/events/make-event.ts';
import { type Action } from '../../../functions/core/model/change.ts';
import { formatEvent, type EventLayout } from '../../../infra/cli/format-event.ts';
import { clip } from '../../../infra/cli/format.ts';
import type { Paint } from '../../../infra/cli/terminal.ts';

const plain: Paint = (_, text) => text;
const WIDE: EventLayout = { paint: plain, width: 140 };

function event(
  action: Action,
  object: object,
  changed: string[] = [],
  previous?: object,
  cause: 'poll' | 'replay' = 'poll',
) {
  return makeEvent(
    {
      action,
      entity: 'template_checklist',
      id: 'f1',
      subject: '/projects/p1/template_checklists/f1',
      time: '2026-05-04T10:11:12.345Z',
      sequence: '2026-05-04T10:11:12.345Z',
      object: { ...object },
      changed,
      ...(previous && { previous: { ...previous } }),
    },
    { source: 'https://api.test/api/v3', cause, now: new Date(0).toISOString() },
  );
}

describe('the line of an event', () => {
  it('has aligned columns: time, action, entity and name', () => {
    expect(formatEvent(event('created', { name: 'Cellar' }), WIDE)).toBe(
      '2026-05-04 10:11:12  created   template_checklist   "Cellar"',
    );
    vi.useFakeTimers({ now: Date.parse('2026-05-04T23:00:00Z') });
    expect(formatEvent(event('created', {}), WIDE)).toMatch(/^10:11:12 /);
    vi.useRealTimers();
  });

  it.each([
    ['numbers', 90, 180, '90 → 180'],
    ['a new value', undefined, -1, 'nothing → -1'],
    ['short texts', 'Cellar', 'Basement', '"Cellar" → "Basement"'],
  ])('shows of %s the old and the new value', (_, old, current, shown) => {
    const updated = event('updated', { field: current }, ['field'], { field: old });
    expect(formatEvent(updated, WIDE)).toMatch(new RegExp(`  field: ${shown}$`));
  });

  it('shows bookkeeping last, and that nothing but updated_at has changed', () => {
    const changed = ['device_updated_at', 'name'];
    const updated = event('updated', { name: 'b' }, changed, { name: 'a' });
    expect(formatEvent(updated, WIDE)).toMatch(/ name: "a" → "b" {2}device_updated_at: /);
    expect(formatEvent(event('updated', {}, [], {}), WIDE)).toMatch(/only updated_at moved/);
  });

  it.each([80, 120, 200])('fits %i columns, whatever changed', (width) => {
    const object = { name: 'Waterproofing Inspection '.repeat(4), rotation: 180 };
    const previous = { name: 'x'.repeat(50), rotation: 90 };
    const updated = event('updated', object, Object.keys(object), previous);
    for (const each of [updated, event('created', object), toClaimCheck(updated, 's3://large/1')]) {
      const line = formatEvent(each, { paint: plain, width });
      expect(line.length).toBeLessThanOrEqual(width);
    }
  });

  it('has no control characters, whatever the name is', () => {
    const line = formatEvent(event('created', { name: 'a\nb\u001b[2J' }), WIDE);
    expect(line).toContain('"a\\nb\\u001b[2J"');
  });
});

it('a text is clipped by characters, not by halves of them', () => {
  expect([3, 2].map((width) => clip('🏗🏗🏗', width))).toEqual(['🏗🏗🏗', '🏗…']);
});
