import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import type { Clients } from '../embedded/clients.ts';
import { sdkEnvironment, type Endpoints } from '../embedded/endpoints.ts';
import { EventSourceMapping } from '../lambda/event-source-mapping.ts';
import type { Deployed } from '../lambda/lambda-api.ts';
import { LambdaFunction, type FunctionDefinition } from '../lambda/lambda-function.ts';
import type { DeclaredSchedule } from './creator.ts';
import type { Provisioned } from './provision.ts';
import { TemplateError } from './resolve-template.ts';

interface FunctionsOptions {
  readonly clients: Clients;
  /** Endpoints of the functions' SDK. */
  readonly endpoints: Endpoints;
  readonly onLog?: ((line: string) => void) | undefined;
  /** See {@link LocalStackOptions}. */
  readonly pollerTimeoutSeconds?: number | undefined;
}

export interface Schedule extends DeclaredSchedule {
  readonly shard: number;
  readonly everySeconds: number;
}

/** The functions of a template, each in its own process, and the mappings that feed them. */
export class Functions implements Deployed {
  readonly schedules: readonly Schedule[];
  /** They work already. */
  readonly mappings: readonly EventSourceMapping[];
  readonly #options: FunctionsOptions;
  readonly #functions: readonly LambdaFunction[];

  constructor(provisioned: Provisioned, options: FunctionsOptions) {
    this.#options = options;
    this.schedules = schedulesOf(provisioned);
    this.#functions = provisioned.functions.map((definition) => this.#start(definition));
    this.mappings = provisioned.mappings.map((definition) => {
      const target = this.find(definition.functionArn);
      if (!target)
        throw new TemplateError(`${definition.uuid} invokes no function of the template`);
      const onProblem = (message: string, { name, message: reason }: Error): void => {
        // As a function logs it, so that it is shown like its own problems.
        const error = { name, message: reason };
        const entry = { level: 'ERROR', message, function: target.definition.name, error };
        options.onLog?.(JSON.stringify(entry));
      };
      const work = { sqs: options.clients.sqs, function: target, onProblem };
      return new EventSourceMapping(definition, work);
    });
  }

  find(nameOrArn: string): LambdaFunction | undefined {
    return this.#functions.find(({ definition: { name, arn } }) => [name, arn].includes(nameOrArn));
  }

  /** Invokes the poller of a shard, as its schedule does. */
  async poll(shard = 0): Promise<RunSummary> {
    const poller = this.find(this.schedules[shard]?.targetArn ?? '');
    if (!poller) throw new RangeError(`The stack has no shard ${shard}`);
    // The poller's handler always returns a RunSummary.
    return (await poller.invoke({})) as RunSummary;
  }

  async kill(): Promise<void> {
    await Promise.all(this.#functions.map((each) => each.kill()));
  }

  /** Kills all processes, and works no more messages. */
  async close(): Promise<void> {
    const closed = this.mappings.map((mapping) => mapping.close());
    await this.kill();
    await Promise.all(closed);
  }

  #start(definition: FunctionDefinition): LambdaFunction {
    const { clients, endpoints, onLog, pollerTimeoutSeconds } = this.#options;
    // The SDK calls a queue at the origin of its URL, which must be the function's endpoint.
    const environment = Object.entries(definition.environment).map(
      ([name, value]) =>
        [name, value.replaceAll(`${clients.endpoints.sqs}/`, `${endpoints.sqs}/`)] as const,
    );
    const timeoutSeconds = shardOf(definition) === undefined ? undefined : pollerTimeoutSeconds;
    const localized = {
      ...definition,
      environment: Object.fromEntries(environment),
      timeoutSeconds: timeoutSeconds ?? definition.timeoutSeconds,
    };
    return new LambdaFunction(localized, sdkEnvironment(endpoints), onLog);
  }
}

/** The shard of a poller; undefined for other functions. */
function shardOf({ environment }: FunctionDefinition): string | undefined {
  return environment['SITECAST_SHARD'];
}

/** The schedules of the pollers, by shard. Others are rare, and invoke nothing locally. */
function schedulesOf({ schedules, functions }: Provisioned): readonly Schedule[] {
  return schedules
    .flatMap((schedule) => {
      const target = functions.find(({ arn }) => arn === schedule.targetArn);
      const shard = target && shardOf(target);
      const everySeconds = parseRate(schedule.expression);
      return shard === undefined ? [] : [{ ...schedule, shard: Number(shard), everySeconds }];
    })
    .toSorted((a, b) => a.shard - b.shard);
}

/** The seconds between two ticks of a poller: `rate(5 minutes)`. */
export function parseRate(expression: string): number {
  return 60 * Number(/\d+/.exec(expression)?.[0]);
}
