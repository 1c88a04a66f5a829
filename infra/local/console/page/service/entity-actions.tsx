import { useSignal } from '@preact/signals';
import type { NamedEntity } from '../../protocol.ts';
import { clip } from '../format.ts';
import { change, problem, type ChangedPlace } from '../state/actions.ts';
import { NameForm } from './name-form.tsx';

interface ActionsProps {
  readonly entity: NamedEntity;
  readonly kind: 'project' | 'floorplan' | 'checklist' | 'item';
  readonly place: ChangedPlace;
}

/** What can be done to an entity. */
export function Actions({ entity, kind, place }: ActionsProps) {
  const isRenaming = useSignal(false);
  const { id, name, isDeleted } = entity;
  const short = `“${clip(name, 60)}”`;
  const make = async (action: 'delete' | 'restore'): Promise<void> => {
    const request = { change: `${action} ${kind}`, id } as const;
    const outcome = await change(`${action}d ${short}`, request, place);
    problem.value = 'problem' in outcome ? outcome.problem : undefined;
  };
  const rotate = async (): Promise<void> => {
    const outcome = await change(`rotated ${short}`, { change: 'rotate floorplan', id }, place);
    problem.value = 'problem' in outcome ? outcome.problem : undefined;
  };
  const button = (label: string, onClick: () => void) => (
    <button type="button" class="small" aria-label={`${label} ${short}`} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <div class={`entity-actions ${isRenaming.value ? 'is-renaming' : ''}`}>
      {isRenaming.value ? (
        <NameForm
          label={`New name of ${short}`}
          initial={name}
          verb="Rename"
          onDone={() => (isRenaming.value = false)}
          onSubmit={(newName) =>
            change(
              `renamed ${short} to “${clip(newName.trim(), 60)}”`,
              { change: `rename ${kind}`, id, name: newName },
              place,
            )
          }
        />
      ) : isDeleted ? (
        button('Restore', () => void make('restore'))
      ) : (
        <>
          {button('Rename', () => (isRenaming.value = true))}
          {kind === 'floorplan' && button('Rotate', () => void rotate())}
          {button('Delete', () => void make('delete'))}
        </>
      )}
    </div>
  );
}
