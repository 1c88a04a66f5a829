import type { EventSourceMapping } from './event-source-mapping.ts';
import type { LambdaHost } from './lambda-host.ts';

/** The functions and mappings of which Lambda's API tells. */
export interface LambdaFunctions {
  /** Finds a function by its name or its ARN. */
  find(nameOrArn: string): Pick<LambdaHost, 'invoke' | 'definition'> | undefined;
  readonly mappings: readonly EventSourceMapping[];
}
