import type * as z from 'zod/mini';
import { SettingsInvalidError } from '../core/model/errors.ts';
import { describeProblems } from './describe-problems.ts';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that hold JSON. */
const JSON_VARIABLES = ['SITECAST_CONFIG', 'SITECAST_WEBHOOK', 'SITECAST_WEBHOOKS'];

/**
 * Reads the variables of a schema. An empty one counts as missing.
 *
 * @param whose the function, for the message.
 * @throws SettingsInvalidError listing every variable and field that is missing or malformed.
 */
export function readEnvironment<Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape>,
  env: Environment,
  whose: string,
): z.infer<z.ZodMiniObject<Shape>> {
  const input = Object.fromEntries(
    Object.keys(schema.shape).map((name) => {
      const value = env[name] === '' ? undefined : env[name];
      return [name, JSON_VARIABLES.includes(name) ? parseJson(value) : value];
    }),
  );
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new SettingsInvalidError(
    `The ${whose}'s environment is invalid:\n${describeProblems(result.error, input)}`,
    { hint: 'Correct the notifier context in cdk.json and deploy again.' },
  );
}

/** Text that is no JSON stays as it is: the schema refuses it, and the message quotes it. */
function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
