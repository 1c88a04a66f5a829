import { buildCommand } from '@stricli/core';
import { findNearest } from '../../config/find-nearest.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { askControl } from '../control-function.ts';
import { findLocalStack } from '../find-stack.ts';
import { flag, JSON_FLAG, STACK_FLAGS } from '../flags.ts';
import { reporting } from '../report.ts';
import type { CliContext } from '../terminal.ts';
import { wordOf } from './status/state-words.ts';

interface TriggerFlags {
  readonly local?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** A change that the simulated service can make, and the type of the event that follows. */
interface PossibleChange {
  readonly change: string;
  readonly type: string;
}

/** What the simulated service answers: a change, or why there is none. */
interface ChangeAnswer {
  readonly subject?: string;
  readonly message?: string;
}

/** `sitecast trigger`. */
export const triggerCommand = buildCommand<TriggerFlags, [string | undefined], CliContext>({
  docs: {
    brief: 'Change something on the simulated service of the local stack',
    fullDescription: `Change something on the simulated service of the local stack. The event follows with the next run.

Without a type it lists what is possible.

EXAMPLES
  sitecast trigger
  sitecast trigger floorplan.updated
  sitecast trigger project.deleted`,
    customUsage: ['[<type>] [flags]'],
  },
  parameters: {
    flags: { local: flag(STACK_FLAGS.local.brief), json: JSON_FLAG },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Type of the event: floorplan.updated',
          placeholder: 'type',
          parse: String,
          optional: true,
          proposeCompletions: async (partial) =>
            typesOf(await readChanges()).filter((type) => type.startsWith(partial)),
        },
      ],
    },
  },
  async func(flags, type) {
    await reporting(this, flags.json, async () => {
      const changes = await readChanges();
      const types = typesOf(changes);
      if (type === undefined) return { document: { types }, text: types.join('\n') };
      const found = changes.find((each) => each.type === type);
      if (found === undefined) throw unknownType(type, types);
      const { subject, message = '' } = (await send({ change: found.change })) as ChangeAnswer;
      if (subject === undefined) {
        throw new CliError(
          `trigger failed: ${message}.`,
          'Trigger a change that makes one before.',
        );
      }
      const warning = (await silenceOf(type)) ?? (await silenceOfList(type, subject));
      if (warning !== undefined) this.process.stderr.write(`${warning}\n`);
      return { document: { type, subject }, text: `${type}  ${subject}` };
    });
  },
});

/** Flags of `npm start` that show an entity, by its name. */
const START_FLAGS: Readonly<Record<string, string>> = {
  sheet: '--with-sheets',
  template_check_item: '--service-version 2021-04-14',
};

/** Why the local stack will tell nothing of a change; undefined if it will. */
async function silenceOf(type: string): Promise<string | undefined> {
  const { hiddenEntities = {} } = await findLocalStack();
  const [entity = ''] = type.split('.');
  const remedy = hiddenEntities[entity];
  if (remedy === undefined) return undefined;
  const start = START_FLAGS[entity];
  return (
    `No ${type} will come: ${entity} has events only with ${remedy} in the config` +
    `${start === undefined ? '' : ` (npm start -- ${start})`}.`
  );
}

/**
 * Why the list of a changed entity will tell nothing of it now; undefined if it will, or if nobody knows: the change is made
 * in any case.
 */
async function silenceOfList(type: string, subject: string): Promise<string | undefined> {
  const [, projects = '', id, resource] = subject.split('/');
  const list = resource === undefined ? projects : [projects, id, resource].join('/');
  try {
    const status = { command: 'status', scope: { list }, limit: 1 } as const;
    const { lists } = await askControl(await findLocalStack(), status);
    const state = lists[0]?.state ?? 'live';
    if (state === 'live' || state === 'baseline') return undefined;
    return `No ${type} will come for now: the list ${list} is ${wordOf(state)}.`;
  } catch {
    return undefined;
  }
}

function unknownType(type: string, types: readonly string[]): UsageError {
  const nearest = findNearest(type, types);
  return new UsageError(
    `There is no change ${JSON.stringify(type)}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`,
    'Run sitecast trigger to list the changes.',
  );
}

async function readChanges(): Promise<readonly PossibleChange[]> {
  return (await send()) as readonly PossibleChange[];
}

function typesOf(changes: readonly PossibleChange[]): string[] {
  return [...new Set(changes.map(({ type }) => type))];
}

/** @param body a change to make; without it the answer lists the possible ones. */
async function send(body?: object): Promise<unknown> {
  const { adminUrl } = await findLocalStack();
  if (adminUrl === undefined) {
    throw new CliError(
      'trigger failed: the local stack polls a real service.',
      'Run npm start without --service.',
    );
  }
  const answer = await fetch(`${adminUrl}/changes`, {
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return answer.json();
}
