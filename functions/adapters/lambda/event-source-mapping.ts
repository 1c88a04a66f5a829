import {
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
  type EventSourceMappingConfiguration,
} from '@aws-sdk/client-lambda';
import { MISSING, type OperatedMapping } from '../../control/ports.ts';
import { SitecastError } from '../../core/model/errors.ts';
import { requestHandler } from '../shared/request-handler.ts';
import { retry } from '../shared/retry.ts';

/** Lambda's words for a change that waits for the one before. */
const BUSY: ReadonlySet<string> = new Set(['ResourceInUseException', 'ResourceConflictException']);

export interface LambdaMappingOptions {
  readonly client?: LambdaClient;
  /** Time in which a change that Lambda refuses is tried again. Default 45 s, as changes take. */
  readonly maxWaitMs?: number;
  /** Time between two tries. Default 2 s. */
  readonly pollMs?: number;
}

/** The event source mapping of a function. */
export class LambdaMapping implements OperatedMapping {
  readonly #functionName: string;
  readonly #options: LambdaMappingOptions;
  readonly #client: LambdaClient;

  constructor(functionName: string, options: LambdaMappingOptions = {}) {
    this.#functionName = functionName;
    this.#options = options;
    this.#client = options.client ?? new LambdaClient({ requestHandler });
  }

  async state(): Promise<string> {
    const mapping = await this.#find();
    return mapping === undefined ? MISSING : (mapping.State ?? 'unknown');
  }

  /**
   * Waits for another change that takes effect.
   *
   * @param isStillWanted is asked before each try. Default: it is.
   * @throws Lambda's error if that takes too long.
   * @throws SitecastError if there is no mapping.
   */
  async setEnabled(
    isEnabled: boolean,
    isStillWanted = (): Promise<boolean> => Promise.resolve(true),
  ): Promise<void> {
    const { maxWaitMs = 45_000, pollMs = 2_000 } = this.#options;
    const wanted = isEnabled ? ['Enabled', 'Enabling'] : ['Disabled', 'Disabling'];
    const giveUpAt = Date.now() + maxWaitMs;
    const trySet = async (): Promise<void> => {
      const mapping = await this.#find();
      if (mapping === undefined) {
        throw new SitecastError(`Function ${this.#functionName} has no event source mapping.`, {
          hint: 'Deploy the stack again.',
        });
      }
      const { UUID, State = '' } = mapping;
      if (wanted.includes(State) || !(await isStillWanted())) return;
      await this.#client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: isEnabled }));
    };
    await retry(trySet, {
      ...{ maxTries: Infinity, baseDelayMs: pollMs, maxDelayMs: pollMs },
      isRetryable: (error) => BUSY.has((error as Error).name),
      leftMs: () => giveUpAt - Date.now(),
    });
  }

  async #find(): Promise<EventSourceMappingConfiguration | undefined> {
    const list = new ListEventSourceMappingsCommand({ FunctionName: this.#functionName });
    return (await this.#client.send(list)).EventSourceMappings?.[0];
  }
}
