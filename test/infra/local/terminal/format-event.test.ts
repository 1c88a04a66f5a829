import { describe, expect, it } from 'vitest';
import { makeEvent, toClaimCheck } from '../../../../functions/core/events/make-event.ts';
import { type Action } from '../../../../functions/core/model/change.ts';
import { clip, lengthOf, wrap } from '../../../../infra/local/terminal/fit-text.ts';
import {
  formatEvent,
  type EventLayout,
  type Paint,
} from '../../../../infra/local/terminal/format-event.ts';

const plain: Paint = (_, text) => text;
const WIDE: EventLayout = { paint: plain, width: 120 };

function event(
  action: Action,
  object: object,
  changed: string[] = [],
  previous?: object,
  cause: 'poll' | 'replay' | 'reconcile' = 'poll',
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

describe('formatEvent', () => {
  it('shows time, action, entity and name', () => {
    expect(formatEvent(event('created', { name: 'Cellar' }), WIDE)).toBe(
      '10:11:12  created   template_checklist   "Cellar"',
    );
  });

  it('tells what made an event if it was no poll', () => {
    const replayed = event('updated', { name: 'Cellar', a: 1 }, ['a'], { a: 0 }, 'replay');
    expect(formatEvent(replayed, WIDE)).toContain('"Cellar"  (replay)  a: 0 → 1');
    const gone = event('deleted', { name: 'Cellar' }, [], undefined, 'reconcile');
    expect(formatEvent(gone, WIDE)).toMatch(/"Cellar" {2}\(reconcile\)$/);
  });

  it('shows the API path of an entity without a name', () => {
    const line = formatEvent(event('deleted', {}), WIDE);
    expect(line).toContain('/projects/p1/template_checklists/f1');
  });

  it.each([
    ['numbers', 90, 180, '90 → 180'],
    ['a new value', undefined, -1, 'nothing → -1'],
    ['short texts', 'Cellar', 'Basement', '"Cellar" → "Basement"'],
    ['an addition', 'Harbour View Offices', 'Harbour View Offices – as built', '+ "– as built"'],
    ['a removal', 'Harbour View Offices – old', 'Harbour View Offices', '− "– old"'],
    ['a word', 'Level 1 Fire Plan of May', 'Level 1 Water Plan of May', '"…Fire …" → "…Water …"'],
    ['days', '2026-05-03T08:00:00.000Z', '2026-05-04T09:00:00.000Z', '2026-05-03 → 2026-05-04'],
    ['times of a day', '2026-05-04T08:00:00.1Z', '2026-05-04T08:00:01.2Z', '08:00:00 → 08:00:01'],
    ['a first time', null, '2026-05-04T08:00:01.2Z', 'null → 2026-05-04 08:00:01'],
  ])('shows of %s what tells the change', (_, old, current, shown) => {
    const updated = event('updated', { field: current }, ['field'], { field: old });
    expect(formatEvent(updated, WIDE)).toMatch(
      new RegExp(`  field: ${shown.replace('+', '\\+')}$`),
    );
  });

  it('names only fields whose values are large or not known', () => {
    const large = event('updated', { tags: 'x'.repeat(99).split('') }, ['tags'], { tags: [] });
    expect(formatEvent(large, WIDE)).toMatch(/ tags$/);
    expect(formatEvent(event('updated', { notes: 'b' }, ['notes']), WIDE)).toMatch(/ notes$/);
  });

  it('says of an update without a changed field that it has none', () => {
    expect(formatEvent(event('updated', { name: 'Roof' }, [], {}), WIDE)).toMatch(
      /updated .* "Roof" {2}\(only updated_at moved\)$/,
    );
  });

  it('shows fields of bookkeeping last, and counts those that do not fit', () => {
    const changed = ['device_updated_at', 'last_editor_user_id', 'name'];
    const object = { name: `Cellar${' and more'.repeat(8)}`, device_updated_at: 'b' };
    const line = formatEvent(event('updated', object, changed, { name: 'Cellar' }), WIDE);
    expect(line).toMatch(/…\s+name: \+ "and more and more.*" {2}\+2$/);
  });

  it.each([60, 80, 100, 120, 200])('fits %i columns, whatever changed', (width) => {
    const name = 'Waterproofing Inspection, Ground Floor, northern part of the building';
    const object = { name, rotation: 180, creator_user_id: 1 };
    const previous = { name: 'x'.repeat(50), rotation: 90, creator_user_id: 2 };
    const updated = event('updated', object, Object.keys(object), previous);
    for (const each of [updated, event('created', object), toClaimCheck(updated, 's3://large/1')]) {
      const line = formatEvent(each, { paint: plain, width, receivers: ['planning'] });
      expect(lengthOf(line)).toBeLessThanOrEqual(width);
      expect(line).toMatch(/→ planning$/);
    }
    expect(formatEvent(updated, { paint: plain, width })).toContain('name');
  });

  it('names many receivers in lines of their own', () => {
    const turned = event('updated', { name: 'Roof Column Layout', rotation: 180 }, ['rotation'], {
      rotation: 90,
    });
    const receivers = ['orders', 'archive-queue', 'renamed-projects', 'web-hook', 'data-lake'];
    expect(formatEvent(turned, { paint: plain, width: 80, receivers }).split('\n')).toEqual([
      '10:11:12  updated   template_checklist   "Roof Column Layou…  rotation: 90 → 180',
      '    → orders, archive-queue, renamed-projects, web-hook, data-lake',
    ]);
    const lines = formatEvent(turned, { paint: plain, width: 60, receivers }).split('\n');
    expect(lines.length).toBe(3);
    for (const line of lines) expect(lengthOf(line)).toBeLessThanOrEqual(60);
    expect(formatEvent(turned, { paint: plain, width: 120, receivers: ['orders', 'crm'] })).toMatch(
      /rotation: 90 → 180 {2}→ orders, crm$/,
    );
  });

  it('shows a small change whole on a narrow terminal', () => {
    const turned = event('updated', { name: 'Roof Column Layout', rotation: 180 }, ['rotation'], {
      rotation: 90,
    });
    expect(formatEvent(turned, { paint: plain, width: 69 })).toBe(
      '10:11:12 updated template_checklist "Roof Column… rotation: 90 → 180',
    );
  });

  it('stays one line without control characters whatever the name is', () => {
    const line = formatEvent(event('created', { name: 'a\nb\u001b[2J' }), WIDE);
    expect(line).toContain('"a\\nb\\u001b[2J"');
  });

  it('shows API path and place of an event that is too large for the topic', () => {
    const reference = toClaimCheck(event('updated', { name: 'Cellar' }), 's3://large/1.json');
    expect(formatEvent(reference, { ...WIDE, width: 160 })).toBe(
      '10:11:12  updated   template_checklist   /projects/p1/template_checklists/f1  large, kept in the bucket: s3://large/1.json',
    );
  });

  it('shows the id where the API path has no room', () => {
    const reference = toClaimCheck(event('updated', {}), 's3://large/1.json');
    expect(formatEvent(reference, { ...WIDE, width: 80 })).toMatch(
      / template_checklist +f1 +large, kept in the bucket$/,
    );
  });

  it('paints the action', () => {
    const marked: Paint = (style, text) => `<${style}>${text}</>`;
    const line = formatEvent(event('restored', {}), { ...WIDE, paint: marked });
    expect(line).toContain('<cyan>restored</>');
  });
});

describe('fit-text', () => {
  it('clips by characters, not by halves of them', () => {
    expect(clip('🏗🏗🏗', 3)).toBe('🏗🏗🏗');
    expect(clip('🏗🏗🏗', 2)).toBe('🏗…');
  });

  it('wraps at spaces, keeps the gaps of a line that fits, and never cuts a word', () => {
    expect(wrap('  topic   here\nshort', 20)).toBe('  topic   here\nshort');
    expect(wrap('one two three', 8)).toBe('one two\n    three');
    expect(wrap('see http://127.0.0.1:4010/api', 10)).toBe('see\n    http://127.0.0.1:4010/api');
    expect(wrap('', 10)).toBe('');
  });
});
