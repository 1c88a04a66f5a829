import { configuredResource, partitionsOf, type Feed } from '../core/model/feed.ts';
import { allResources, type Catalog } from '../core/model/resource-catalog.ts';
import { RequestRefusedError, type Scope } from './requests.ts';

/** All partitions of feeds. */
export const ALL_PARTITIONS = partitionsOf(0, 1);

/** Names that a message lists. */
const MAX_NAMES = 5;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Characters of a project's id that may stand for it. */
const MIN_ID_LENGTH = 4;

/**
 * The feeds in a scope. The start of a project's id stands for it, if no other begins so.
 *
 * @throws RequestRefusedError when there are none, with the names that come nearest.
 */
export function feedsInScope(
  feeds: readonly Feed[],
  catalog: Catalog,
  asked: Scope,
): readonly Feed[] {
  const projectIds = new Set(feeds.flatMap(({ projectId }) => projectId ?? []));
  const scope = completeIds(asked, [...projectIds]);
  const found = feeds.filter((feed) =>
    isInScope(feed, configuredResource(catalog, feed)?.name, scope),
  );
  if (found.length > 0 || Object.keys(scope).length === 0) return found;
  const resources = allResources(catalog).map(({ name }) => name);
  const ids = feeds.map(({ id }) => id);
  refuseUnknown('list', scope.list, ids);
  refuseUnknown('project', scope.projectId, [...projectIds]);
  refuseUnknown('resource', scope.resource, resources);
  throw new RequestRefusedError(`No list matches ${JSON.stringify(scope)}.`, {
    hint: 'Show the status of all lists to find its name.',
  });
}

function completeIds(scope: Scope, projectIds: readonly string[]): Scope {
  const complete = (start: string): string => {
    const [id = start, ...others] = projectIds.filter((each) => each.startsWith(start));
    const isClear = others.length === 0 && start.length >= MIN_ID_LENGTH;
    return isClear && !projectIds.includes(start) ? id : start;
  };
  const { list, projectId } = scope;
  return {
    ...scope,
    ...(projectId !== undefined && { projectId: complete(projectId) }),
    ...(list !== undefined && { list: list.replace(/(?<=^projects\/)[^/]+(?=\/)/, complete) }),
  };
}

/** @param resource the name of the feed's resource; undefined if it is not configured. */
export function isInScope(
  { id, projectId }: Pick<Feed, 'id' | 'projectId'>,
  resource: string | undefined,
  scope: Scope,
): boolean {
  return (
    [undefined, id].includes(scope.list) &&
    [undefined, projectId].includes(scope.projectId) &&
    [undefined, resource].includes(scope.resource)
  );
}

function refuseUnknown(kind: string, name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return;
  throw new RequestRefusedError(`There is no ${kind} "${name}".`, {
    hint: hintFor(kind, name, known),
  });
}

function hintFor(kind: string, name: string, known: readonly string[]): string {
  const similar = known.filter((other) => other.includes(name));
  if (similar.length > 0) return `Did you mean ${quoted(similar)}?`;
  if (known.length === 0) return 'There are no lists yet: the first run finds them.';
  const isName = kind === 'project' && !UUID.test(name);
  const advice = isName ? 'Give the id of the project, not its name. ' : '';
  return `${advice}There are ${known.length}, for example ${quoted(known)}.`;
}

function quoted(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMES);
  return some.map((name) => `"${name}"`).join(', ');
}
