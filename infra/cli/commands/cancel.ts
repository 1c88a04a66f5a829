import { buildCommand } from '@stricli/core';
import type { CancelAnswer } from '../../../functions/control/protocol.ts';
import { askControl } from '../control-function.ts';
import { findStack } from '../find-stack.ts';
import {
  describeScope,
  DRY_RUN_FLAG,
  JSON_FLAG,
  STACK_FLAGS,
  STACK_USAGE,
  text,
  type StackFlags,
} from '../flags.ts';
import { reporting } from '../report.ts';
import type { CliContext } from '../terminal.ts';

interface CancelFlags extends StackFlags {
  readonly id?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** `sitecast cancel`. */
export const cancelCommand = buildCommand<CancelFlags, [], CliContext>({
  docs: {
    brief: 'Take a command back that is not wholly carried out',
    fullDescription: `Take a command back that is not wholly carried out. What it has done stays.

EXAMPLES
  sitecast cancel --stage prod
  sitecast cancel --stage prod --id 2026-11-22T09:00:00.000Z-x8fk`,
    customUsage: [`${STACK_USAGE} [flags]`],
  },
  parameters: {
    flags: {
      ...STACK_FLAGS,
      id: text('id', 'The command, as sitecast status names it; default: the only one'),
      dryRun: DRY_RUN_FLAG,
      json: JSON_FLAG,
    },
  },
  async func({ id, dryRun, json, ...flags }) {
    await reporting(this, json, async () => {
      const stack = await findStack(flags);
      const isDry = dryRun === true;
      const options = { ...(id !== undefined && { id }), ...(isDry && { dryRun: true }) };
      const answer = await askControl(stack, { command: 'cancel', ...options });
      return { document: answer, text: describeCancelled(answer, isDry) };
    });
  },
});

function describeCancelled({ cancelled }: CancelAnswer, isDry: boolean): string {
  const { command, id, scope } = cancelled;
  const what = `${command} of ${describeScope(scope)} (${id})`;
  return isDry
    ? `cancel would take back ${what}. Nothing was changed.`
    : `${what} is cancelled. What it has done stays.`;
}
