import type { Action } from '../../functions/core/model/change.ts';
import { allResources, makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { PollerConfig } from '../../functions/settings/poller-config.ts';

export const ACTIONS = ['created', 'updated', 'deleted', 'restored'] as const satisfies Action[];

/** Why events are told: a poll, or an operator's replay or reconciliation. */
export const CAUSES: readonly string[] = ['poll', 'replay', 'reconcile'];

/** Fields that built-in entities have today. The service may add others. */
export const FIELDS = [
  ...['account_id', 'code', 'color', 'created_at', 'creator_user_id', 'current_sheet_id'],
  ...['deleted_at', 'description', 'device_created_at', 'device_updated_at', 'file_name'],
  ...['floorplan_id', 'id', 'last_editor_user_id', 'name', 'plan_name', 'project_id'],
  ...['resolved_conflict', 'rotation', 'template_checklist_id', 'updated_at', 'version'],
];

/** The first versions of the service that leave these entities out (spec, changelog). */
const LEFT_OUT_SINCE = { sheet: '2021-03-30', template_check_item: '2021-04-15' } as const;

/** The entities that events can be about, and why others have none. */
export interface EventEntities {
  readonly shown: readonly string[];
  /** By the name of the entity, how to show it. */
  readonly hidden: ReadonlyMap<string, string>;
}

/** Which entities have events under a config. */
export function eventEntities(config: PollerConfig): EventEntities {
  const { withCurrentSheet, serviceVersion = '9999' } = config;
  const catalog = makeCatalog(config);
  const { perProject, selection } = catalog;
  const hidden = new Map<string, string>();
  for (const { name, entity, nested = [] } of perProject) {
    if (selection.resources?.includes(name) ?? true) continue;
    for (const hiddenEntity of [entity, ...nested.map((resource) => resource.entity)]) {
      hidden.set(hiddenEntity, `resources with "${name}"`);
    }
  }
  if (!withCurrentSheet && serviceVersion >= LEFT_OUT_SINCE.sheet) {
    hidden.set('sheet', 'withCurrentSheet true');
  }
  if (serviceVersion >= LEFT_OUT_SINCE.template_check_item) {
    const version = `a serviceVersion before ${LEFT_OUT_SINCE.template_check_item}`;
    hidden.set('template_check_item', version);
  }
  const all = allResources(catalog).flatMap(({ entity, nested = [] }) => [
    entity,
    ...nested.map((resource) => resource.entity),
  ]);
  return { shown: all.filter((entity) => !hidden.has(entity)), hidden };
}
