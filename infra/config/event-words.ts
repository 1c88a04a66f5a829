import type { Action } from '../../functions/core/model/change.ts';
import {
  allResources,
  entitiesOf,
  makeCatalog,
} from '../../functions/core/model/resource-catalog.ts';
import type { PollerConfig } from '../../functions/settings/poller-config.ts';

export const ACTIONS = ['created', 'updated', 'deleted', 'restored'] as const satisfies Action[];

/** Why events are published: a poll, or an operator's replay or reconcile. */
export const CAUSES: readonly string[] = ['poll', 'replay', 'reconcile'];

/** Which entities have events under a config, and how to show the hidden others. */
export function eventEntities(config: PollerConfig) {
  const { serviceVersion = '9999' } = config;
  const catalog = makeCatalog(config);
  const { perProject, selection } = catalog;
  const hidden = new Map<string, string>();
  for (const resource of perProject) {
    if (selection.resources?.includes(resource.name) ?? true) continue;
    for (const entity of entitiesOf([resource])) {
      hidden.set(entity, `resources with "${resource.name}"`);
    }
  }
  const nested = allResources(catalog).flatMap((resource) => resource.nested ?? []);
  for (const { entity, leftOutSince = '9999', shownBy = {} } of nested) {
    const options = Object.keys(shownBy) as (keyof typeof config)[];
    if (serviceVersion < leftOutSince || options.some((name) => config[name] === true)) continue;
    const version = `a serviceVersion before ${leftOutSince}`;
    hidden.set(entity, options.length > 0 ? `${options.join()} true` : version);
  }
  const all = entitiesOf(allResources(catalog));
  return { shown: all.filter((entity) => !hidden.has(entity)), hidden };
}
