import { readFileSync } from 'node:fs';
import { ConfigInvalidError } from './config-invalid-error.ts';

/** A file like cdk.json with a stage that has every field. */
const EXAMPLE_FILE = new URL('../../docs/config.example.json', import.meta.url);

/**
 * The stages of the `notifier` context that the app makes: all, or that of `-c stage=<name>`.
 *
 * @param stage the value of that option; CDK takes one without a value for true.
 * @throws ConfigInvalidError naming the stages that exist.
 */
export function selectStages(notifier: unknown, stage: unknown): unknown {
  if (stage === undefined || typeof notifier !== 'object' || notifier === null) return notifier;
  const name = typeof stage === 'string' ? stage : JSON.stringify(stage);
  const stages: Readonly<Record<string, unknown>> = { ...readExample(), ...notifier };
  if (Object.hasOwn(stages, name)) return { [name]: stages[name] };
  const names = Object.keys(stages).join(', ');
  throw new ConfigInvalidError(`There is no stage "${name}"; allowed: ${names}`);
}

export function readExample(): Readonly<Record<string, unknown>> {
  const { context } = JSON.parse(readFileSync(EXAMPLE_FILE, 'utf8')) as {
    readonly context: { readonly notifier: Readonly<Record<string, unknown>> };
  };
  return context.notifier;
}
