import type { Identity } from '../../changes/observed-entity.ts';
import { replayFromOutbox } from '../../changes/outbox.ts';
import { tell, type ToEvent, type ToldChange } from '../../changes/tell.ts';
import { decodeTold, type EntityState } from '../../model/entity-state.ts';
import type { Feed } from '../../model/feed.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

/** Why the event of a state is not told again. */
export type NotReplayed =
  /** Nobody was told: it was found in a silent baseline, or saved by an earlier release. */
  | 'untold'
  /** Its content was too large to keep. */
  | 'withoutContent'
  /** It cannot be made of what is saved. The log names the entity. */
  | 'failed';

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
): ToldChange | NotReplayed {
  try {
    return makeAgain(state, feed, resource, toEvent);
  } catch (error) {
    return notReplayed(error, state.key, feed, telemetry);
  }
}

/** Names an entity of which no event can be made again. */
export function notReplayed(
  error: unknown,
  entity: EntityState['key'],
  feed: Feed,
  telemetry: Telemetry,
): 'failed' {
  telemetry.error('An event cannot be told again', error, { feed: feed.id, entity });
  return 'failed';
}

function makeAgain(
  { told, ...state }: EntityState,
  feed: Feed,
  resource: Resource | undefined,
  toEvent: ToEvent,
): ToldChange | NotReplayed {
  const event = told === undefined ? undefined : decodeTold(told);
  const identity = identityOf(state.key, feed, resource);
  if (event === undefined || identity === undefined) return 'untold';
  const replayed = replayFromOutbox({ ...state, pendingEvent: event }, identity);
  return replayed === undefined ? 'withoutContent' : tell(replayed, toEvent).change;
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
