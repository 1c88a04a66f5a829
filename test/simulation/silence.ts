import type { Learned } from './chronicle.ts';
import type { FinalState } from './latest.ts';
import { placeOf } from './places.ts';
import type { Outcome } from './world.ts';

/** It was there in the baseline as it is now; or it is gone, and nobody was ever told of it. */
export function isLearnedInSilence(
  { subject, objects, parent, mayBeUnseen = false }: FinalState,
  { chronicle }: Outcome,
): boolean {
  const learnedOf = (of: string) => {
    const { feedId, key } = placeOf(of);
    return chronicle.learned(feedId, key);
  };
  const { feedId, key } = placeOf(subject);
  const learned = learnedOf(subject);
  const versions = objects.flatMap((object) => object?.['updated_at'] ?? []);
  if (mayBeSilent(learned) && versions.includes(learned.version)) return true;
  if (!objects.includes(undefined)) return false;
  if (learned === undefined) return true;
  // A run that died saw a change that no later run was shown: its event waits for the checklist's next change.
  if (mayBeUnseen && chronicle.state(feedId, key)?.unpublished !== undefined) return true;
  if (!mayBeSilent(learned)) return false;
  // It went before the baseline came to its end: the list around it was first saved without it.
  const around = parent && learnedOf(parent.subject);
  return learned.deleted || (mayBeSilent(around) && !parent?.showsAt(around.version));
}

function mayBeSilent(learned: Learned | undefined): learned is Learned {
  return learned !== undefined && learned.inBaseline !== 'no';
}
