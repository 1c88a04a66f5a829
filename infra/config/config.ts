import * as z from 'zod/mini';
import { describeProblems } from '../../functions/settings/describe-problems.ts';
import { matching } from '../../functions/settings/field-types.ts';
import { ConfigInvalidError } from './config-invalid-error.ts';
import { crossChecks } from './cross-checks.ts';
import { stageFields, type StageConfig } from './stage-fields.ts';

export { ConfigInvalidError, type StageConfig };

export const STAGE_NAME = /^[a-z][a-z0-9-]{0,19}$/;

export const stageSchema = stageFields.check(...crossChecks);

const stages = z
  .record(
    matching(
      STAGE_NAME,
      'a stage name of at most 20 lower-case letters, digits and -, starting with a letter; ' +
        'fields of a stage belong below its name',
    ),
    stageSchema,
    { error: 'an object with one entry per stage' },
  )
  .check(z.refine((all) => Object.keys(all).length > 0, { error: 'at least one stage' }));

/**
 * Checks the `notifier` context of cdk.json: an object with one entry per stage.
 *
 * @returns the stages by name.
 * @throws ConfigInvalidError listing every problem at once.
 */
export function parseConfig(notifier: unknown): Readonly<Record<string, StageConfig>> {
  return parse(z.object({ notifier: stages }), { notifier }, 'notifier context').notifier;
}

/**
 * Checks the config of a notifier in an app of its own.
 *
 * @param owner the path of the construct.
 * @throws ConfigInvalidError listing every problem at once.
 */
export function parseStage(config: unknown, owner: string): StageConfig {
  return parse(z.object({ config: stageSchema }), { config }, `config of ${owner}`).config;
}

function parse<T extends z.ZodMiniType>(schema: T, input: unknown, what: string): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const problems = describeProblems(result.error, input);
  throw new ConfigInvalidError(`The ${what} is invalid:\n${problems}`);
}
