import { environmentBytes, textAt } from '../../functions/settings/field-types.ts';

/** A stage whose fields may have any type. */
interface UncheckedStage {
  readonly additionalResources?: unknown;
  readonly projects?: unknown;
  readonly subscribers?: unknown;
}

interface EnvironmentProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** Both lists are part of the functions' environment, for which Lambda has 4 KB altogether. */
const MAX_LISTS_BYTES = 2300;
/** What that leaves for them, and for the webhooks in the environment of the control function. */
const MAX_BYTES = 2900;
/** The names of a webhook's function and queues, at the longest, as JSON. */
const WEBHOOK_BYTES = 430;

/** Finds lists that are too long for the environment of a function. */
export function environmentProblems(stage: UncheckedStage): EnvironmentProblem[] {
  const { additionalResources, projects } = stage;
  const bytes = environmentBytes([additionalResources, projects]);
  if (projects !== undefined && bytes > MAX_LISTS_BYTES) {
    const message =
      `a list of at most ${MAX_LISTS_BYTES} bytes as JSON, each quotation mark counted twice, together with additionalResources; ` +
      `these have ${bytes}`;
    return [{ path: ['projects'], message }];
  }
  const subscribers: readonly unknown[] = Array.isArray(stage.subscribers) ? stage.subscribers : [];
  const webhooks = subscribers.filter((each) => textAt(each, 'protocol') === 'webhook');
  const texts = webhooks.flatMap((each) => [textAt(each, 'name'), textAt(each, 'endpoint')]);
  const all = bytes + webhooks.length * WEBHOOK_BYTES + Buffer.byteLength(texts.join(''));
  if (webhooks.length === 0 || all <= MAX_BYTES) return [];
  const message =
    `fewer webhooks, or shorter lists of projects and additionalResources: with ${WEBHOOK_BYTES} bytes for each ` +
    `of ${webhooks.length} webhooks, besides its name and endpoint, they have ${all} of ${MAX_BYTES}; a second stage can have others`;
  return [{ path: ['subscribers'], message }];
}
