import type { NamedEntity, Requests } from '../../protocol.ts';
import { clip } from '../format.ts';
import { act } from '../state/actions.ts';

interface EntityProps {
  readonly entity: NamedEntity;
  readonly kind: 'project' | 'floorplan' | 'checklist';
  /** The list that shows it. */
  readonly list: string;
}

/** An entity with its name and its actions. */
export function EntityRow(props: EntityProps) {
  const { name, isDeleted, details } = props.entity;
  return (
    <li class="row entity">
      <span class={`name ${isDeleted ? 'muted' : ''}`} title={clip(name, 300)}>
        <bdi>{clip(name, 300)}</bdi>
        {isDeleted && ' (deleted)'}
      </span>
      <EntityActions {...props} />
      {!isDeleted && <span class="muted">{details}</span>}
    </li>
  );
}

export function EntityActions({ entity, kind, list }: EntityProps) {
  const { id, name, isDeleted } = entity;
  const short = `“${clip(name, 60)}”`;
  const button = (label: string, change: Requests['change']['change'], done: string) => (
    <button
      type="button"
      aria-label={`${label} ${short}`}
      onClick={() => void act('change', { change, id }, { label: `${done} ${short}`, list })}
    >
      {label}
    </button>
  );
  if (isDeleted) return button('Restore', `restore ${kind}`, 'restored');
  return (
    <>
      {button('Rename', `rename ${kind}`, 'renamed')}
      {kind === 'floorplan' && button('Rotate', 'rotate floorplan', 'rotated')}
      {button('Delete', `delete ${kind}`, 'deleted')}
    </>
  );
}
