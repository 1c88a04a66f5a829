import { buildCommand } from '@stricli/core';
import { CHANGES, CHANGE_NAMES } from '../../local/simulator/changes.ts';
import { CliError } from '../cli-error.ts';
import { findLocalStack, type Stack } from '../find-stack.ts';
import { flag, JSON_FLAG, pick, STACK_FLAGS } from '../flags.ts';
import { reporting } from '../report.ts';
import type { CliContext } from '../terminal.ts';

interface TriggerFlags {
  readonly local?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Of several changes with events of one type the first. */
const BY_TYPE = Object.fromEntries(
  CHANGE_NAMES.toReversed().map((name) => [CHANGES[name].type, name]),
);
const TYPES = [...new Set(CHANGE_NAMES.map((name) => CHANGES[name].type))];

/** `sitecast trigger`. */
export const triggerCommand = buildCommand<TriggerFlags, [string | undefined], CliContext>({
  docs: {
    brief: 'Change something on the simulated service of the local stack',
    fullDescription: `Change something on the simulated service of the local stack. The event follows with the next run.

Without a type it lists what is possible.

EXAMPLES
  sitecast trigger
  sitecast trigger floorplan.updated`,
    customUsage: ['[<type>] [flags]'],
  },
  parameters: {
    flags: { local: flag(STACK_FLAGS.local.brief), json: JSON_FLAG },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          ...{ placeholder: 'type', parse: String, optional: true },
          brief: 'Type of the event: floorplan.updated',
        },
      ],
    },
  },
  async func(flags, type) {
    await reporting(this, flags.json, async () => {
      const stack = await findLocalStack();
      if (type === undefined) return { document: { types: TYPES }, text: TYPES.join('\n') };
      const { subject, message } = await make(pick('change', BY_TYPE, type), stack);
      if (subject === undefined) {
        const hint = 'Trigger a change that makes one before.';
        throw new CliError(`trigger failed: ${message}.`, hint);
      }
      return { document: { type, subject }, text: `${type}  ${subject}` };
    });
  },
});

/** Makes a change. @returns its subject, or why there is none. */
async function make(change: string, { adminUrl }: Stack) {
  if (adminUrl === undefined) {
    throw new CliError(
      'trigger failed: the local stack polls a real service.',
      'Run npm start without --service.',
    );
  }
  const answer = await fetch(`${adminUrl}/changes`, {
    method: 'POST',
    body: JSON.stringify({ change }),
  });
  return (await answer.json()) as { readonly subject?: string; readonly message?: string };
}
