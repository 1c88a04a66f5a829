// The index of the library takes longer to load than all else that reads a config.
import { Token } from 'aws-cdk-lib/core';
import * as z from 'zod/mini';
import { text } from '../../functions/settings/field-types.ts';

/** Text that a pattern matches, or that is known only at deployment: `queue.queueArn` in a CDK app. */
export function reference(pattern: RegExp, error: string) {
  const isKnown = ({ value }: z.core.ParsePayload): boolean =>
    typeof value === 'string' && !Token.isUnresolved(value);
  // The types of this check leave out `when`, which every check has.
  const params: { error: string } & Pick<z.core.$ZodCheckDef, 'when'> = { error, when: isKnown };
  return text(error).check(z.regex(pattern, params));
}
