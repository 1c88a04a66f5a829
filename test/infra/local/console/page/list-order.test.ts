import { expect, it } from 'vitest';
import type { ListState, ListStatus } from '../../../../../functions/control/protocol.ts';
import { ListOrder } from '../../../../../infra/local/console/page/operations/list-order.ts';

const nameOf = (list: string): string => list.replace('projects/', '');

/** Arranges lists by their names and states. */
function arrange(order: ListOrder, states: Readonly<Record<string, ListState>>, isHeld = false) {
  const lists = Object.entries(states).map(([name, state]): ListStatus => {
    const list = name === 'projects' ? name : `projects/${name}`;
    return { list, state };
  });
  return order
    .arrange(lists, nameOf, isHeld)
    .map(({ list }) => nameOf(list))
    .join(' ');
}

const STATES = { c: 'live', a: 'live', projects: 'live', b: 'live' } as const;

it('puts waiting lists first, then paused ones, and those of deleted projects last', () => {
  const order = new ListOrder();
  expect(arrange(order, STATES)).toBe('projects a b c');
  const states = { ...STATES, a: 'parked', b: 'paused', c: 'waiting' } as const;
  expect(arrange(order, states)).toBe('c b projects a');
  // Each goes back to its place.
  expect(arrange(order, STATES)).toBe('projects a b c');
});

it('adds new lists at the end of their state, whatever their names are', () => {
  const order = new ListOrder();
  arrange(order, { ...STATES, d: 'parked' });
  const states = { aa: 'live', ...STATES, d: 'parked' } as const;
  expect(arrange(order, states)).toBe('projects a b c aa d');
});

it('moves no row while a person is at it, and adds new ones last', () => {
  const order = new ListOrder();
  arrange(order, STATES);
  const states = { aa: 'waiting', ...STATES, b: 'paused' } as const;
  expect(arrange(order, states, true)).toBe('projects a b c aa');
  expect(arrange(order, states)).toBe('aa b projects a c');
});
