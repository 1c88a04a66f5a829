import { buildCommand } from '@stricli/core';
import { LocalStackEndedError } from '../../aws-errors.ts';
import { CliError } from '../../cli-error.ts';
import { askControl, RefusedError } from '../../control-function.ts';
import { findStack, type Stack } from '../../find-stack.ts';
import { JSON_FLAG, STACK_FLAGS, STACK_USAGE, text, type StackFlags } from '../../flags.ts';
import { stopOnSignals } from '../../stop-on-signals.ts';
import { painterFor, type CliContext, type Paint } from '../../terminal.ts';
import { checkEventFilter, type EventFilter } from './check-event-filter.ts';
import type { FilterPolicy } from './temporary-queue.ts';

interface ListenFlags extends StackFlags, EventFilter {
  readonly json?: boolean | undefined;
}

/** Fields of an event that a line shows. */
interface ListenedEvent {
  readonly time: string;
  readonly type: string;
  readonly subject: string;
  readonly data?: { readonly changed: readonly string[] };
  /** Of an event that is too large for a message. */
  readonly dataref?: string;
}

/** The longest name of a type. */
const TYPE_WIDTH = 'template_check_item.restored'.length;

/** `sitecast listen`. */
export const listenCommand = buildCommand<ListenFlags, [], CliContext>({
  docs: {
    brief: 'Print events as they come, until Ctrl-C',
    fullDescription: `Print events as they come, until Ctrl-C.

A temporary queue of its own is subscribed to the topic, and removed at the end.

EXAMPLES
  sitecast listen --local
  sitecast listen --stage prod --type floorplan.updated --changed name
  sitecast listen --stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --json`,
    customUsage: [`${STACK_USAGE} [flags]`],
  },
  parameters: {
    flags: {
      ...STACK_FLAGS,
      type: {
        ...text('type', 'Only events of this type: floorplan.updated; may be repeated'),
        variadic: true,
      },
      project: text('id', 'Only events of this project'),
      changed: {
        ...text('field', 'Only events with this changed field; may be repeated'),
        variadic: true,
      },
      json: JSON_FLAG,
    },
  },
  async func(flags) {
    const { stdout, stderr } = this.process;
    const warnings = checkEventFilter(flags);
    const stack = await findStack(flags);
    const { topicArn, name } = stack;
    if (topicArn === undefined) {
      throw new CliError(
        `listen failed: ${name} has no output TopicArn.`,
        'Name a stack of Sitecast.',
      );
    }
    if (warnings.length === 0) warnings.push(...(await projectWarning(stack, flags.project)));
    for (const warning of warnings) stderr.write(`${warning}\n`);
    const { TemporaryQueue } = await import('./temporary-queue.ts');
    const stop = stopOnSignals(stdout);
    const queue = new TemporaryQueue(stack, topicArn);
    const paint = painterFor(stdout);
    let hasStackEnded = false;
    try {
      await queue.open(filterPolicyOf(flags));
      stderr.write(`Listening to ${name} by the queue ${queue.name}. Press Ctrl-C to stop.\n`);
      while (!stop.aborted) {
        for (const body of await queue.receive(stop)) {
          stdout.write(
            `${flags.json === true ? toLine(body) : formatEvent(JSON.parse(body) as ListenedEvent, paint)}\n`,
          );
        }
      }
    } catch (error) {
      hasStackEnded = error instanceof LocalStackEndedError;
      throw error;
    } finally {
      if (!hasStackEnded && (await queue.remove()))
        stderr.write('The queue and its subscription are removed.\n');
    }
  },
});

/** A warning of a project that the stack does not know. It may come, and nobody needs the permission to ask. */
async function projectWarning(stack: Stack, projectId: string | undefined): Promise<string[]> {
  if (projectId === undefined) return [];
  try {
    await askControl(stack, { command: 'status', scope: { projectId }, limit: 0 });
    return [];
  } catch (error) {
    if (!(error instanceof RefusedError)) return [];
    const { message, hint } = error.answer.error;
    return [`${stack.name}: ${message} ${hint}`];
  }
}

/** The filter policy of the flags; undefined without any. */
export function filterPolicyOf({
  type: types,
  project,
  changed,
}: EventFilter): FilterPolicy | undefined {
  const policy = {
    ...(types !== undefined && types.length > 0 && { type: types }),
    ...(project !== undefined && { project_id: [project] }),
    // The attribute of an event with very many names ends in `*`.
    ...(changed !== undefined && changed.length > 0 && { changed: [...changed, '*'] }),
  };
  return Object.keys(policy).length > 0 ? policy : undefined;
}

/** An event as a line: time, type, subject, and the changed fields or where a large event lies. */
export function formatEvent(
  { time, type, subject, data, dataref }: ListenedEvent,
  paint: Paint,
): string {
  const details = dataref ?? data?.changed.join(', ') ?? '';
  const parts = [paint('dim', time), type.padEnd(TYPE_WIDTH), subject];
  return [...parts, ...(details === '' ? [] : [paint('dim', details)])].join('  ');
}

/** The event on one line, its text unchanged. */
function toLine(body: string): string {
  return body.replaceAll(/\s*\n\s*/g, ' ');
}
