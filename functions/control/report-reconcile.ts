import type { PlacedCommand } from '../core/model/command.ts';
import {
  healedCount,
  noCounts,
  sumCounts,
  type ReconcileCounts,
  type ReconcileReport,
} from '../core/model/reconcile-report.ts';
import { placedAt } from './place-command.ts';
import type { ReconcileStatus } from './protocol.ts';

/** Sums what the partitions say of the reconciliation that is under way, or of the last one. */
export function reportReconcile(
  placed: readonly PlacedCommand[],
  reports: readonly ReconcileReport[],
): ReconcileStatus | undefined {
  const underWay = placed.filter(({ command }) => command.name === 'reconcile');
  const ids = [
    ...underWay.map(({ command }) => command.id),
    ...reports.map((each) => each.commandId),
  ];
  const id = ids.toSorted().at(-1);
  if (id === undefined) return undefined;
  const done = reports.filter(({ commandId }) => commandId === id);
  const progress = underWay.flatMap((each) =>
    each.command.id === id ? (each.progress ?? []) : [],
  );
  const counts = [...done, ...progress]
    .map((each) => each.counts as ReconcileCounts)
    .reduce(sumCounts, noCounts());
  const finishedAt = done
    .map((report) => report.finishedAt)
    .toSorted()
    .at(-1);
  const isUnderWay = underWay.some(({ command }) => command.id === id);
  return {
    id,
    startedAt: placedAt(id),
    ...(!isUnderWay && finishedAt !== undefined && { finishedAt }),
    counts,
    healed: healedCount(counts),
    problems: [...done, ...progress].flatMap(({ problems = [] }) => problems),
  };
}
