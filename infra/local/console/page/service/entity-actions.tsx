import { useSignal } from '@preact/signals';
import type { EntityAddress, NamedEntity } from '../../protocol.ts';
import { clip } from '../format.ts';
import { change, problem } from '../state/actions.ts';
import { NameForm } from './name-form.tsx';

interface ActionsProps {
  readonly entity: NamedEntity;
  readonly address: EntityAddress;
}

const PAST = { delete: 'deleted', restore: 'restored', rotate: 'rotated' } as const;

/** What can be done to an entity. */
export function Actions({ entity, address }: ActionsProps) {
  const isRenaming = useSignal(false);
  const { name, isDeleted } = entity;
  const short = `“${clip(name, 60)}”`;
  // Without nested items in the API's latest version, the checklist's event tells of its items.
  const parents = address.entity === 'item' ? [address.checklistId ?? ''] : [];
  const make = async (action: keyof typeof PAST): Promise<void> => {
    const outcome = await change(`${PAST[action]} ${short}`, { ...address, action }, parents);
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
              { ...address, action: 'rename', name: newName },
              parents,
            )
          }
        />
      ) : isDeleted ? (
        button('Restore', () => void make('restore'))
      ) : (
        <>
          {button('Rename', () => (isRenaming.value = true))}
          {address.entity === 'floorplan' && button('Rotate', () => void make('rotate'))}
          {button('Delete', () => void make('delete'))}
        </>
      )}
    </div>
  );
}
