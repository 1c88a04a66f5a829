import {
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
  type EventSourceMappingConfiguration,
} from '@aws-sdk/client-lambda';
import { SitecastError } from '../../core/model/errors.ts';
import type { OperatedMapping } from '../../core/ports/webhook-operations.ts';

/** The event source mapping of a function that has one. */
export class LambdaMapping implements OperatedMapping {
  readonly #client: LambdaClient;
  readonly #functionName: string;

  constructor(functionName: string, client = new LambdaClient()) {
    this.#functionName = functionName;
    this.#client = client;
  }

  /** `Enabled`, `Disabled`, or a word for the way there. */
  async state(): Promise<string> {
    return (await this.#find()).State ?? 'unknown';
  }

  async setEnabled(isEnabled: boolean): Promise<void> {
    const { UUID, State } = await this.#find();
    if (State === (isEnabled ? 'Enabled' : 'Disabled')) return;
    await this.#client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: isEnabled }));
  }

  async #find(): Promise<EventSourceMappingConfiguration> {
    const { EventSourceMappings: [mapping] = [] } = await this.#client.send(
      new ListEventSourceMappingsCommand({ FunctionName: this.#functionName }),
    );
    if (mapping !== undefined) return mapping;
    throw new SitecastError(`Function ${this.#functionName} has no event source mapping.`, {
      hint: 'Deploy the stack again.',
    });
  }
}
