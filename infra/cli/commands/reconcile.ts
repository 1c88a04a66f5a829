import { buildCommand } from '@stricli/core';
import type { PlacedAnswer, ReconcileStatus } from '../../../functions/control/protocol.ts';
import { countOf } from '../../count-of.ts';
import { CliError } from '../cli-error.ts';
import { askControl } from '../control-function.ts';
import type { Stack } from '../find-stack.ts';
import { flag } from '../flags.ts';
import type { Report } from '../report.ts';
import type { CliContext } from '../terminal.ts';
import { describe } from './change.ts';
import { formatReconciliation } from './format-reconciliation.ts';
import { order, ORDER_FLAGS, type OrderFlags } from './order.ts';

/** `sitecast reconcile`. */
export const reconcileCommand = buildCommand<OrderFlags & { force?: boolean }, [], CliContext>({
  docs: describe(
    'reconcile',
    'Read whole lists, compare them with what is known, and heal what differs',
    [
      '--stage prod --all',
      '--stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --dry-run',
      '--stage prod --resource floorplans --force',
    ],
  ),
  parameters: {
    flags: {
      ...ORDER_FLAGS,
      force: flag(
        'Also where more of a list is missing than config allows; each entity is still asked for',
      ),
    },
  },
  async func(flags) {
    const { force } = flags;
    await order(
      this,
      flags,
      (scope) => ({ command: 'reconcile', scope, ...(force === true && { force }) }),
      conclude,
    );
  },
});

/** What came of it. */
async function conclude(stack: Stack, placed: PlacedAnswer): Promise<Report> {
  const { reconciliation } = await askControl(stack, { command: 'status', limit: 0 });
  const document = { ...placed, carriedOut: true, reconciliation };
  // Another one may have ended since, or it was cancelled.
  if (reconciliation === undefined || reconciliation.id !== placed.id) {
    return { document, text: 'It was cancelled.' };
  }
  const failure = failureOf(reconciliation);
  const text = formatReconciliation(reconciliation).join('\n');
  return { document, text, ...(failure && { failure }) };
}

function failureOf({ counts: { failed, stopped } }: ReconcileStatus): CliError | undefined {
  const count = failed + stopped;
  if (count === 0) return undefined;
  return new CliError(
    `${countOf(count, 'list was', 'lists were')} not reconciled.`,
    stopped > 0
      ? 'Look at the lists that were stopped. If they are right, give --force.'
      : 'Reconcile these lists again once the service answers.',
  );
}
