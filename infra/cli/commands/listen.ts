import { buildCommand } from '@stricli/core';
import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { callAws, CliError } from '../cli-error.ts';
import { findStack } from '../find-stack.ts';
import { JSON_FLAG, STACK_FLAGS, STACK_USAGE, text } from '../flags.ts';
import { formatEvent } from '../format-event.ts';
import type { OperationFlags } from '../operation.ts';
import { painterFor, stopOnSignals, widthOf, type CliContext } from '../terminal.ts';

interface EventFilter {
  readonly type?: readonly string[] | undefined;
  readonly project?: string | undefined;
}

export const listenCommand = buildCommand<OperationFlags & EventFilter, [], CliContext>({
  docs: {
    brief: 'Print events as they come, until Ctrl-C',
    fullDescription: `Print events as they come, until Ctrl-C.

A temporary queue of its own is subscribed to the topic, and removed at the end.

EXAMPLES
  sitecast listen --local
  sitecast listen --stage prod --type floorplan.updated
  sitecast listen --stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --json`,
    customUsage: [`${STACK_USAGE} [flags]`],
  },
  parameters: {
    flags: {
      ...STACK_FLAGS,
      type: {
        ...text('type', 'Only events of this type: floorplan.updated; may be repeated'),
        parse: readType,
        variadic: true,
      },
      project: { ...text('id', 'Only events of this project'), parse: readProject },
      json: { ...JSON_FLAG, brief: 'One CloudEvent a line; an error is the last line' },
    },
  },
  async func(flags) {
    const { stdout, stderr } = this.process;
    const stack = await findStack(flags);
    const { topicArn, name } = stack;
    if (topicArn === undefined) {
      const hint = 'Name a stack of Sitecast.';
      throw new CliError(`listen failed: ${name} has no output TopicArn.`, hint);
    }
    const { receiveEvents } = await import('./receive-events.ts');
    const signal = stopOnSignals(this.process);
    const print = (line: string) => stderr.write(line);
    const layout = { paint: painterFor(stdout), width: widthOf(this.process) };
    const listener = { filterPolicy: filterPolicyOf(flags), signal, print };
    const listen = async (): Promise<void> => {
      for await (const body of receiveEvents(stack, topicArn, listener)) {
        const event = () => formatEvent(JSON.parse(body) as ChangeEvent, layout);
        stdout.write(`${flags.json === true ? toLine(body) : event()}\n`);
      }
    };
    await callAws({ failure: 'listen failed', isLocal: stack.isLocal }, listen);
  },
});

function filterPolicyOf({ type = [], project = '' }: EventFilter): object | undefined {
  // The start of an id stands for it, but for a number.
  const projectId = /^\d+$/.test(project) ? project : { prefix: project };
  const policy = {
    ...(type.length > 0 && { type }),
    ...(project !== '' && { project_id: [projectId] }),
  };
  return Object.keys(policy).length > 0 ? policy : undefined;
}

function toLine(body: string): string {
  return body.replaceAll(/\s*\n\s*/g, ' ');
}

function readProject(input: string): string {
  if (/^(\d+|[0-9a-f-]{4,36})$/.test(input)) return input;
  throw new Error('allowed: the id of a project, or at least its first 4 digits');
}

function readType(input: string): string {
  if (/\.(created|updated|deleted|restored)$/.test(input)) return input;
  throw new Error('allowed: a type that ends in .created, .updated, .deleted or .restored');
}
