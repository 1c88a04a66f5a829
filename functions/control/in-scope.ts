import { configuredResource, type Feed } from '../core/model/feed.ts';
import { allResources, type Catalog } from '../core/model/resource-catalog.ts';
import { isInScope, type Scope } from '../core/model/scope.ts';
import { NothingInScopeError } from './control-error.ts';

/** Names that a message lists. */
const MAX_NAMES = 5;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The feeds in a scope.
 *
 * @throws NothingInScopeError when there are none, naming some that there are.
 */
export function feedsInScope(
  feeds: readonly Feed[],
  catalog: Catalog,
  scope: Scope,
): readonly Feed[] {
  const { list, projectId, resource } = scope;
  refuseUnknown(
    'list',
    list,
    feeds.map(({ id }) => id),
  );
  refuseUnknown('project', projectId, [...new Set(feeds.flatMap((feed) => feed.projectId ?? []))]);
  refuseUnknown(
    'resource',
    resource,
    allResources(catalog).map(({ name }) => name),
  );
  const found = feeds.filter((feed) =>
    isInScope(feed, configuredResource(catalog, feed)?.name, scope),
  );
  if (found.length > 0 || feeds.length === 0) return found;
  throw new NothingInScopeError(`No list matches ${JSON.stringify(scope)}.`, {
    hint: 'Ask for the status of all lists to see which there are.',
  });
}

function refuseUnknown(what: string, name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return;
  const similar = known.filter((other) => other.includes(name));
  throw new NothingInScopeError(`There is no ${what} "${name}".`, {
    hint: `${what === 'project' ? adviceOnId(name, similar) : ''}${hintFor(similar, known)}`,
  });
}

/** For the name of a project in place of its id. */
function adviceOnId(name: string, similar: readonly string[]): string {
  return similar.length > 0 || UUID.test(name) ? '' : 'Give the id of the project, not its name. ';
}

function hintFor(similar: readonly string[], known: readonly string[]): string {
  if (similar.length > 0) return `Did you mean ${quoted(similar)}?`;
  return known.length > 0
    ? `There are ${known.length}, for example ${quoted(known)}.`
    : 'There are no lists yet: the first run finds them.';
}

function quoted(names: readonly string[]): string {
  return names
    .slice(0, MAX_NAMES)
    .map((name) => `"${name}"`)
    .join(', ');
}
