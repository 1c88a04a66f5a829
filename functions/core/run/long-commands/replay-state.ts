import type { DetectedChange, ToEvent } from '../../changes/detect-changes.ts';
import { lastChange, type NoLastChange } from '../../changes/last-change.ts';
import type { Identity } from '../../changes/observe.ts';
import type { EntityState } from '../../model/entity-state.ts';
import type { Feed } from '../../model/feed.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

/** Why the event of a state is not published again. `failed`: it cannot be made; the log names the entity. */
export type NotReplayed = NoLastChange | 'failed';

/**
 * Tells the event of a state again: with the id that it had, without the old values. One of which that fails is left
 * out: it would fail in every run, and hold up its command for ever.
 */
export function replayState(
  state: EntityState,
  feed: Feed,
  resource: Resource | undefined,
  toEvent: ToEvent,
  telemetry: Telemetry,
): DetectedChange | NotReplayed {
  try {
    return makeAgain(state, feed, resource, toEvent);
  } catch (error) {
    return notReplayed(error, state.key, feed, telemetry);
  }
}

/** Names an entity of which no event can be made again. */
function notReplayed(
  error: unknown,
  entity: EntityState['key'],
  feed: Feed,
  telemetry: Telemetry,
): 'failed' {
  telemetry.error('An event cannot be told again', error, { feed: feed.id, entity });
  return 'failed';
}

function makeAgain(
  state: EntityState,
  feed: Feed,
  resource: Resource | undefined,
  toEvent: ToEvent,
): DetectedChange | NotReplayed {
  const identity = identityOf(state.key, feed, resource);
  if (identity === undefined) return 'silent';
  const change = lastChange(state, identity);
  return typeof change === 'string' ? change : { ...change, event: toEvent(change) };
}

/**
 * @param resource undefined if config has the list no more: an additional one, which has no nested entities.
 * @returns undefined for what is no entity of the list, nor nested in one.
 */
function identityOf(
  key: EntityState['key'],
  feed: Feed,
  resource: Resource | undefined,
): Identity | undefined {
  const [entity = '', ...ids] = key.split('#');
  const [first = '', nestedId] = ids;
  const path = `/${feed.id}/${first}`;
  if (nestedId === undefined) {
    const isOfList = resource === undefined || entity === resource.entity;
    return isOfList ? { key, entity, id: first, subject: path } : undefined;
  }
  const nested = resource?.nested?.find((each) => each.entity === entity);
  return nested && { key, entity, id: nestedId, subject: `${path}/${nested.name}/${nestedId}` };
}
