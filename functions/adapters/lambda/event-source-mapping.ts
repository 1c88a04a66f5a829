import { setTimeout as delay } from 'node:timers/promises';
import {
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
  type EventSourceMappingConfiguration,
} from '@aws-sdk/client-lambda';
import { MISSING, type OperatedMapping } from '../../control/ports.ts';
import { SitecastError } from '../../core/model/errors.ts';
import { requestHandler } from '../shared/request-handler.ts';

/** Lambda's words for a change that the one before keeps from beginning. */
const BUSY: ReadonlySet<string> = new Set(['ResourceInUseException', 'ResourceConflictException']);

export interface LambdaMappingOptions {
  readonly client?: LambdaClient;
  /** Time in which a change that Lambda refuses is tried again. Default 45 s: changes take up to a minute or so. */
  readonly maxWaitMs?: number;
  /** Time between two tries. Default 2 s. */
  readonly pollMs?: number;
}

/** The event source mapping of a function. */
export class LambdaMapping implements OperatedMapping {
  readonly #functionName: string;
  readonly #options: Required<LambdaMappingOptions>;

  constructor(functionName: string, options: LambdaMappingOptions = {}) {
    const { maxWaitMs = 45_000, pollMs = 2000 } = options;
    const { client = new LambdaClient({ requestHandler }) } = options;
    this.#functionName = functionName;
    this.#options = { client, maxWaitMs, pollMs };
  }

  /** See {@link OperatedMapping.state}. */
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
    const { client, maxWaitMs, pollMs } = this.#options;
    const wanted = isEnabled ? ['Enabled', 'Enabling'] : ['Disabled', 'Disabling'];
    const giveUpAt = Date.now() + maxWaitMs;
    for (;;) {
      const { UUID, State = '' } = (await this.#find()) ?? this.#fail();
      if (wanted.includes(State) || !(await isStillWanted())) return;
      try {
        await client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: isEnabled }));
        return;
      } catch (error) {
        if (!BUSY.has((error as Error).name) || Date.now() >= giveUpAt) throw error;
      }
      await delay(pollMs);
    }
  }

  async #find(): Promise<EventSourceMappingConfiguration | undefined> {
    const { EventSourceMappings: [mapping] = [] } = await this.#options.client.send(
      new ListEventSourceMappingsCommand({ FunctionName: this.#functionName }),
    );
    return mapping;
  }

  #fail(): never {
    throw new SitecastError(`Function ${this.#functionName} has no event source mapping.`, {
      hint: 'Deploy the stack again.',
    });
  }
}
