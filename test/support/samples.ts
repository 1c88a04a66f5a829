import { createHash } from 'node:crypto';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { makeEvent } from '../../functions/core/events/make-event.ts';
import type { Change } from '../../functions/core/model/change.ts';
import { entityKey, type EntityState } from '../../functions/core/model/entity-state.ts';
import type { Feed } from '../../functions/core/model/feed.ts';

/** A live feed of the floorplans of a project. */
export function feedOf(fields: Partial<Feed> & { readonly projectId: string }): Feed {
  return {
    id: `projects/${fields.projectId}/floorplans`,
    phase: 'live',
    revision: 0,
    ...fields,
  };
}

/** The saved state of a floorplan. */
export function stateOf(id: string): EntityState {
  return {
    key: entityKey('floorplan', id),
    version: '2024-01-01T00:00:00.000Z',
    sequence: '2024-01-01T00:00:00.000Z',
    deleted: false,
    content: () => ({ id, name: `Floorplan ${id}` }),
  };
}

/** The state with its content read, for comparisons. */
export function readState(state: EntityState | undefined) {
  if (state === undefined) return undefined;
  return { ...state, content: state.content?.() };
}

/** An event of a floorplan that was updated. */
export function eventOf(id: string, change: Partial<Change> = {}): ChangeEvent {
  const sequence = change.sequence ?? '2024-01-01T00:00:00.000Z';
  return makeEvent(
    {
      action: 'updated',
      entity: 'floorplan',
      id,
      subject: `/projects/p1/floorplans/${id}`,
      time: sequence,
      sequence,
      object: { id, name: 'North' },
      changed: ['name'],
      previous: { name: 'South' },
      ...change,
    },
    {
      source: 'https://service.example/api/v3',
      cause: 'poll',
      now: '2024-01-01T00:01:00.000Z',
      accountId: '42',
      projectId: 'p1',
    },
  );
}

/** Text that compression hardly shrinks: the same for the same seed. */
export function noise(length: number, seed = 1): string {
  const outputLength = Math.ceil((length * 3) / 4);
  const hash = createHash('shake256', { outputLength }).update(String(seed));
  return hash.digest('base64url').slice(0, length);
}
