import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { NamedEntity, ProjectAnswer } from '../../protocol.ts';
import { Controls } from '../controls.tsx';
import { clip } from '../format.ts';
import { change, type ChangedPlace } from '../state/actions.ts';
import { session } from '../state/state.ts';
import { Actions } from './entity-actions.tsx';
import { NameForm } from './name-form.tsx';

interface ListsProps {
  readonly projectId: string;
  readonly content: ProjectAnswer;
  /** Whether the project is deleted: the service changes nothing in it. */
  readonly isFixed: boolean;
}

/** Rows of one list; a project may have thousands. */
const MAX_ROWS = 200;
/** From this version on checklists show no items (spec, "Changelog"). */
const WITHOUT_ITEMS_FROM = '2021-04-15';

/** The floorplans and checklists of a project. */
export function EntityLists({ projectId, content, isFixed }: ListsProps) {
  const { floorplans, checklists } = content;
  return (
    <div class="entity-lists" tabIndex={0} role="region" aria-label="Content of the project">
      <Controls>
        <List title="Floorplans" entity="floorplan" projectId={projectId} isFixed={isFixed}>
          {floorplans.slice(0, MAX_ROWS).map((plan) => (
            <Row
              key={plan.id}
              entity={plan}
              kind="floorplan"
              place={{ list: listOf('floorplan', projectId) }}
              isFixed={isFixed}
            >
              {!plan.isDeleted && <span class="rotation">{plan.rotation}°</span>}
            </Row>
          ))}
          <Rest count={floorplans.length} />
        </List>
        <List title="Checklists" entity="checklist" projectId={projectId} isFixed={isFixed}>
          {checklists.slice(0, MAX_ROWS).map((list) => (
            <Row
              key={list.id}
              entity={list}
              kind="checklist"
              place={{ list: listOf('checklist', projectId) }}
              isFixed={isFixed}
            >
              {!list.isDeleted && (
                <Items {...{ projectId, isFixed }} checklistId={list.id} items={list.items} />
              )}
            </Row>
          ))}
          <Rest count={checklists.length} />
        </List>
      </Controls>
    </div>
  );
}

interface ListProps {
  readonly title: string;
  readonly entity: 'floorplan' | 'checklist';
  readonly projectId: string;
  readonly isFixed: boolean;
  readonly children: ComponentChildren;
}

function List({ title, entity, projectId, isFixed, children }: ListProps) {
  const isCreating = useSignal(false);
  return (
    <div class="entity-list">
      <div class="list-head">
        <h3>{title}</h3>
        {!isFixed && (
          <button
            type="button"
            class="small"
            onClick={() => (isCreating.value = !isCreating.value)}
          >
            New {entity}
          </button>
        )}
      </div>
      {isCreating.value && !isFixed && (
        <NameForm
          label={`Name of the new ${entity}`}
          initial=""
          verb="Create"
          onDone={() => (isCreating.value = false)}
          onSubmit={(name) =>
            change(
              `created the ${entity} “${clip(name.trim(), 60)}”`,
              { change: `create ${entity}`, id: projectId, name },
              { list: listOf(entity, projectId) },
            )
          }
        />
      )}
      <ul>{children}</ul>
    </div>
  );
}

interface RowProps {
  readonly entity: NamedEntity;
  readonly kind: 'floorplan' | 'checklist' | 'item';
  readonly place: ChangedPlace;
  readonly isFixed: boolean;
  readonly children?: ComponentChildren;
}

function Row({ entity, kind, place, isFixed, children }: RowProps) {
  return (
    <li class={entity.isDeleted ? 'is-deleted' : ''}>
      <span class="entity-name" title={clip(entity.name)}>
        <bdi>{clip(entity.name)}</bdi>
        {entity.isDeleted && <span class="muted"> (deleted)</span>}
      </span>
      {!isFixed && <Actions entity={entity} kind={kind} place={place} />}
      {children}
    </li>
  );
}

/** The list that shows an entity. */
function listOf(entity: 'floorplan' | 'checklist', projectId: string): string {
  const resource = entity === 'floorplan' ? 'floorplans' : 'template_checklists';
  return `projects/${projectId}/${resource}`;
}

function Rest({ count }: { readonly count: number }) {
  return count > MAX_ROWS ? <li class="muted">and {count - MAX_ROWS} more</li> : null;
}

interface ItemsProps {
  readonly projectId: string;
  readonly checklistId: string;
  readonly items: readonly NamedEntity[];
  readonly isFixed: boolean;
}

function Items({ projectId, checklistId, items, isFixed }: ItemsProps) {
  const version = session.value?.serviceVersion;
  const isNested = version !== undefined && version < WITHOUT_ITEMS_FROM;
  return (
    <details class="items">
      <summary>{items.length} items</summary>
      {!isNested && (
        <p class="muted">
          The poller reads the latest API version, which shows no items: an edit arrives as a change
          of the checklist. Start with --service-version 2021-03-01 for events of items.
        </p>
      )}
      <ul>
        {items.map((item) => (
          <Row
            key={item.id}
            entity={item}
            kind="item"
            // Without nested items in the API's latest version, the checklist's event shows them.
            place={{ list: listOf('checklist', projectId), parents: [checklistId] }}
            isFixed={isFixed}
          />
        ))}
      </ul>
    </details>
  );
}
