import type { ReconcileStatus } from '../../../functions/control/protocol.ts';
import { countOf } from '../../count-of.ts';

const INDENT = '  ';

/** The completeness report for people. */
export function formatReconciliation({ counts, healed, problems }: ReconcileStatus): string[] {
  const { read, failed, stopped, skipped, entities, pages, requests } = counts;
  const lists = [
    `${read} compared`,
    ...some({
      failed,
      stopped,
      'passed over (of deleted projects, paused, refused or not selected)': skipped,
    }),
  ];
  const { created, updated, deleted, restored, forbidden, listWrong, unanswered, tooRecent } =
    counts;
  const healedKinds = some({ created, updated, deleted, restored });
  const missing = some({
    'in a list that was wrong': listWrong,
    'not to be asked for': forbidden,
    unanswered,
    'changed too recently to tell': tooRecent,
  });
  return [
    `Lists: ${lists.join(', ')}. Entities: ${entities}, on ${countOf(pages, 'page')}, by ${countOf(requests, 'request')}.`,
    `Healed: ${healed === 0 ? 'nothing' : healedKinds.join(', ')}.`,
    ...(missing.length > 0 ? [`Missing, but not deleted: ${missing.join(', ')}.`] : []),
    ...problems.map(({ list, outcome, cause }) => `${INDENT}${list} ${outcome}: ${cause}`),
  ];
}

/** The counts that are not 0, with their names. */
function some(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([name, count]) => (count > 0 ? `${count} ${name}` : []));
}
