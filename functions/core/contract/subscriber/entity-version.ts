import type { EntityObject } from '../entities.ts';
import type { ChangeEvent } from '../events.ts';

/**
 * One version of an entity, as subscribers keep it. Save a version by its `source` and `subject` if
 * its `sequence`, compared as text, is greater than the saved one; check and write in one step.
 */
export interface EntityVersion {
  /** The service: `{base_url}/api/v3`. */
  readonly source: string;
  /** The entity's API path below `source`. */
  readonly subject: string;
  /** Orders the versions of an entity. */
  readonly sequence: string;
  /** Keep deleted entities, or a late event brings them back. */
  readonly isDeleted: boolean;
  readonly object: EntityObject;
}

/**
 * The version of the entity that an event carries. Resolve a claim check before. A deleted entity
 * may be `updated`, and stays deleted.
 */
export function versionOf(event: ChangeEvent): EntityVersion {
  const { source, subject, sequence, data } = event;
  const type: string = event.type;
  const isDeleted = type.split('.')[1] === 'deleted' || Boolean(data.object.deleted_at);
  return { source, subject, sequence, isDeleted, object: data.object };
}

/**
 * Whether a version is to be saved in place of the one that is saved, if any.
 *
 * @throws TypeError if one of them has no `sequence`: without the error each version would count as
 * old.
 */
export function isNewer(
  version: Pick<EntityVersion, 'sequence'>,
  saved: Pick<EntityVersion, 'sequence'> | null | undefined,
): boolean {
  const sequence = sequenceOf(version);
  return saved === undefined || saved === null || sequence > sequenceOf(saved);
}

/** Callers may be JavaScript, or read their database untyped. */
function sequenceOf({ sequence }: { readonly sequence?: unknown }): string {
  if (typeof sequence === 'string') return sequence;
  throw new TypeError(
    `The sequence of a version is ${String(sequence)}; allowed: a text. ` +
      'Compare versions, not their sequences: isNewer(versionOf(event), saved).',
  );
}
