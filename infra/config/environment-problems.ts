import { textAt } from '../../functions/settings/field-types.ts';

/** A stage whose fields may have any type. */
interface UncheckedStage {
  readonly additionalResources?: unknown;
  readonly projects?: unknown;
  readonly headers?: unknown;
  readonly query?: unknown;
  readonly omit?: unknown;
  readonly subscribers?: unknown;
}

interface EnvironmentProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** These fields are part of the functions' environment, for which Lambda has 4 KB altogether. */
const MAX_LISTS_BYTES = 2300;
/** What that leaves for them, and for the webhooks in the environment of the control function. */
const MAX_BYTES = 2900;
/** The names of a webhook's function and queues, at the longest, as JSON. */
const WEBHOOK_BYTES = 430;

/** Finds fields that are too long for the environment of a function. */
export function environmentProblems(stage: UncheckedStage): EnvironmentProblem[] {
  const { additionalResources, ...others } = stage;
  const optional = (['projects', 'headers', 'query', 'omit'] as const).filter(
    (name) => others[name],
  );
  const bytes = environmentBytes([additionalResources, ...optional.map((name) => others[name])]);
  if (bytes > MAX_LISTS_BYTES) {
    const [first = 'additionalResources', ...more] = optional;
    const fields = first === 'additionalResources' ? [] : [...more, 'additionalResources'];
    const together = fields.length > 0 ? `, together with ${fields.join(', ')}` : '';
    const message =
      `at most ${MAX_LISTS_BYTES} bytes as JSON, each quotation mark counted twice${together}; ` +
      `these have ${bytes}`;
    return [{ path: [first], message }];
  }
  const subscribers: readonly unknown[] = Array.isArray(stage.subscribers) ? stage.subscribers : [];
  const webhooks = subscribers.filter((each) => textAt(each, 'protocol') === 'webhook');
  const texts = webhooks.flatMap((each) => [textAt(each, 'name'), textAt(each, 'endpoint')]);
  const all = bytes + webhooks.length * WEBHOOK_BYTES + Buffer.byteLength(texts.join(''));
  if (webhooks.length === 0 || all <= MAX_BYTES) return [];
  const message =
    `fewer webhooks, or less in ${[...optional, 'additionalResources'].join(', ')}: ` +
    `with ${WEBHOOK_BYTES} bytes for each of ${webhooks.length} webhooks, ` +
    `besides its name and endpoint, they have ${all} of ${MAX_BYTES}; a second stage can have others`;
  return [{ path: ['subscribers'], message }];
}

/** Lambda measures the JSON of all variables, and these hold JSON. */
function environmentBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(value)));
}
