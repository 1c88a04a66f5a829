import { buildCommand } from '@stricli/core';
import { CliError } from '../cli-error.ts';
import { findLocalStack, type Stack } from '../find-stack.ts';
import { flag, JSON_FLAG, pick, STACK_FLAGS } from '../flags.ts';
import type { OperationFlags } from '../operation.ts';
import { reporting } from '../report.ts';
import type { CliContext } from '../terminal.ts';

/** A change that the simulated service can make or has made, or why there is none. */
interface ChangeAnswer {
  readonly change: string;
  readonly type: string;
  readonly subject?: string;
  readonly message?: string;
}

export const triggerCommand = buildCommand<
  Pick<OperationFlags, 'local' | 'json'>,
  [string | undefined],
  CliContext
>({
  docs: {
    brief: 'Change something on the simulated service of the local stack',
    fullDescription: `Change something on the simulated service of the local stack. The event
follows with the next run.

Without a type it lists the possible changes.

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
      const changes = (await send(stack)) as readonly ChangeAnswer[];
      // The first of several changes with events of one type.
      const byType = Map.groupBy(changes, (each) => each.type);
      const types = [...byType.keys()];
      if (type === undefined) return { document: { types }, text: types.join('\n') };
      const [found] = pick('change', Object.fromEntries(byType), type);
      const { subject, message } = (await send(stack, { change: found?.change })) as ChangeAnswer;
      if (subject === undefined) {
        const hint = 'Trigger a change that makes one before.';
        throw new CliError(`trigger failed: ${message}.`, hint);
      }
      return { document: { type, subject }, text: `${type}  ${subject}` };
    });
  },
});

/** @param body a change to make; without it the answer lists the possible ones. */
async function send({ adminUrl }: Stack, body?: object): Promise<unknown> {
  if (adminUrl === undefined) {
    throw new CliError(
      'trigger failed: the local stack polls a real service.',
      'Run sitecast dev without --service.',
    );
  }
  const answer = await fetch(`${adminUrl}/changes`, {
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return answer.json();
}
