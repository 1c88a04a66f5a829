import { expect, it } from 'vitest';
import { ListOrder } from '../../../../../infra/local/console/page/operations/list-order.ts';
import type { ListGroup, ListView } from '../../../../../infra/local/console/protocol.ts';

const nameOf = (list: string): string => list.replace('projects/', '');

/** Arranges lists by their names and groups. */
function arrange(order: ListOrder, groups: Readonly<Record<string, ListGroup>>, isHeld = false) {
  const lists = Object.entries(groups).map(([name, group]): ListView => {
    const list = name === 'projects' ? name : `projects/${name}`;
    return { list, state: 'live', group };
  });
  return order
    .arrange(lists, nameOf, isHeld)
    .map(({ list }) => nameOf(list))
    .join(' ');
}

const GROUPS = { c: 'live', a: 'live', projects: 'live', b: 'live' } as const;

it('puts failing lists first, then paused ones, and those of deleted projects last', () => {
  const order = new ListOrder();
  expect(arrange(order, GROUPS)).toBe('projects a b c');
  const groups = { ...GROUPS, a: 'project deleted', b: 'paused', c: 'failing' } as const;
  expect(arrange(order, groups)).toBe('c b projects a');
  // Each goes back to its place.
  expect(arrange(order, GROUPS)).toBe('projects a b c');
});

it('adds new lists at the end of their group, whatever their names are', () => {
  const order = new ListOrder();
  arrange(order, { ...GROUPS, d: 'project deleted' });
  const groups = { aa: 'live', ...GROUPS, d: 'project deleted' } as const;
  expect(arrange(order, groups)).toBe('projects a b c aa d');
});

it('moves no row while a person is at it, and adds new ones last', () => {
  const order = new ListOrder();
  arrange(order, GROUPS);
  const groups = { aa: 'failing', ...GROUPS, b: 'paused' } as const;
  expect(arrange(order, groups, true)).toBe('projects a b c aa');
  expect(arrange(order, groups)).toBe('aa b projects a c');
});
