import type { SQSClient } from '@aws-sdk/client-sqs';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { sdkEnvironment, type Endpoints } from '../embedded/endpoints.ts';
import { EventSourceMapping, type MappingDefinition } from '../lambda/event-source-mapping.ts';
import type { LambdaFunctions } from '../lambda/lambda-functions.ts';
import { LambdaHost, type FunctionDefinition } from '../lambda/lambda-host.ts';
import type { Provisioned } from './provision.ts';
import { TemplateError } from './resolve-template.ts';
import { makeScheduledEvent, parseRate, type DeclaredSchedule, type Schedule } from './ticker.ts';

/** Lambda begins with five pollers of a queue. */
const DEFAULT_INSTANCES = 5;
/** Each instance is a process, and a laptop has few cores. */
const MAX_INSTANCES = 10;

interface FunctionsOptions {
  /** Reads the queues of the mappings. */
  readonly sqs: SQSClient;
  /** Of the functions' SDK. */
  readonly endpoints: Endpoints;
  readonly onLog?: (line: string) => void;
  /** See {@link LocalStackOptions}. */
  readonly pollerTimeoutSeconds?: number | undefined;
}

/**
 * The functions of a template, each in its own process: the pollers, those that take messages from a queue in
 * several processes, and those that are called.
 */
export class Functions implements LambdaFunctions {
  /** Of the pollers, by shard. */
  readonly schedules: readonly Schedule[];
  /** They work already. */
  readonly mappings: readonly EventSourceMapping[];
  readonly #options: FunctionsOptions;
  /** Instances by ARN; each function has at least one. */
  readonly #hosts: ReadonlyMap<string, LambdaHost[]>;

  /** @param before those that a deployment replaces; their mappings stay enabled or disabled. */
  constructor(provisioned: Provisioned, options: FunctionsOptions, before?: Functions) {
    this.#options = options;
    this.schedules = findSchedules(provisioned);
    this.#hosts = new Map(
      provisioned.functions.map((definition) => [
        definition.arn,
        [
          this.#makeHost(
            withQueueUrlsAt(
              options.endpoints.sqs,
              withTimeout(options.pollerTimeoutSeconds, definition),
              provisioned,
            ),
          ),
        ],
      ]),
    );
    this.mappings = provisioned.mappings.map((definition) => {
      const { uuid } = definition;
      const earlier = before?.mappings.find((mapping) => mapping.definition.uuid === uuid);
      return this.#makeMapping(definition, earlier?.isEnabled);
    });
  }

  /** Finds a function by its name or its ARN. */
  find(nameOrArn: string): LambdaHost | undefined {
    const firsts = [...this.#hosts.values()].flatMap(([first]) => first ?? []);
    return firsts.find(({ definition: { name, arn } }) => [name, arn].includes(nameOrArn));
  }

  /** Invokes the poller of a shard, as its schedule does. */
  async poll(shard = 0): Promise<RunSummary> {
    const schedule = this.schedules[shard];
    const host = schedule && this.find(schedule.targetArn);
    if (!schedule || !host) throw new RangeError(`The stack has no shard ${shard}`);
    // The poller's handler always returns a RunSummary.
    return (await host.invoke(makeScheduledEvent(schedule, new Date()))) as RunSummary;
  }

  pollAll(): Promise<RunSummary[]> {
    return Promise.all(this.schedules.map((_, shard) => this.poll(shard)));
  }

  /** Kills all processes, like a crash. */
  async kill(): Promise<void> {
    await Promise.all([...this.#hosts.values()].flat().map((host) => host.kill()));
  }

  /** Resolves once all messages that the queues show were worked, or when it is aborted. */
  async settle(signal: AbortSignal): Promise<void> {
    await Promise.all(this.mappings.map((mapping) => mapping.settle(signal)));
  }

  /** Lets other functions take over the queues. Batches that were received are still worked. */
  async retire(): Promise<void> {
    await Promise.all(this.mappings.map((mapping) => mapping.retire()));
  }

  /** Kills all processes, and works no more messages. */
  async close(): Promise<void> {
    const closed = this.mappings.map((mapping) => mapping.close());
    await this.kill();
    await Promise.all(closed);
  }

  #makeHost(definition: FunctionDefinition): LambdaHost {
    const { endpoints, onLog } = this.#options;
    return new LambdaHost(definition, {
      sdkEnvironment: sdkEnvironment(endpoints),
      ...(onLog && { onLog }),
    });
  }

  #makeMapping(definition: MappingDefinition, isEnabled?: boolean): EventSourceMapping {
    const { functionArn, maxConcurrency = DEFAULT_INSTANCES } = definition;
    const hosts = this.#hosts.get(functionArn);
    const [first] = hosts ?? [];
    if (!hosts || !first) {
      throw new TemplateError(
        `An event source mapping invokes ${functionArn}, which is not a function of the template`,
      );
    }
    while (hosts.length < Math.min(maxConcurrency, MAX_INSTANCES)) {
      hosts.push(this.#makeHost(first.definition));
    }
    const { sqs, onLog } = this.#options;
    const { name } = first.definition;
    const onProblem = (message: string, error: Error): void => {
      // As a function logs it, so that it is shown like its own problems.
      onLog?.(JSON.stringify({ level: 'ERROR', message, function: name, error: fieldsOf(error) }));
    };
    return new EventSourceMapping(definition, { sqs, instances: hosts, onProblem }, isEnabled);
  }
}

function fieldsOf({ name, message }: Error): object {
  return { name, message };
}

/** Returns the schedules of the template's pollers, by shard. Others are rare, and invoke nothing locally. */
function findSchedules({ schedules, functions }: Provisioned): readonly Schedule[] {
  if (schedules.length === 0) throw new TemplateError('The template must have a schedule');
  const shardOf = (schedule: DeclaredSchedule): number => {
    const target = functions.find(({ arn }) => arn === schedule.targetArn);
    // Only pollers have one.
    if (target !== undefined) return Number(target.environment['SITECAST_SHARD'] ?? NaN);
    throw new TemplateError(
      `${schedule.name} invokes ${schedule.targetArn}, which is not a function of the template`,
    );
  };
  return schedules
    .filter((schedule) => !Number.isNaN(shardOf(schedule)))
    .map((schedule) => ({ ...schedule, everySeconds: parseRate(schedule.expression) }))
    .toSorted((a, b) => shardOf(a) - shardOf(b));
}

/** Whether a function is a poller: only pollers have the number of a shard. */
function isPoller({ environment }: FunctionDefinition): boolean {
  return environment['SITECAST_SHARD'] !== undefined;
}

function withTimeout(timeoutSeconds: number | undefined, definition: FunctionDefinition) {
  if (timeoutSeconds === undefined || !isPoller(definition)) return definition;
  return { ...definition, timeoutSeconds };
}

/**
 * Replaces the origin of queue URLs in the function's environment by its endpoint. The SDK calls a queue
 * at the origin of its URL, and not every system resolves the host name that the embedded service
 * puts there.
 */
function withQueueUrlsAt(
  endpoint: string,
  definition: FunctionDefinition,
  { resources }: Provisioned,
): FunctionDefinition {
  const queues = [...resources.values()].filter(({ type }) => type === 'AWS::SQS::Queue');
  const origins = new Set(queues.map(({ ref }) => new URL(ref).origin));
  const localize = (value: string): string =>
    [...origins].reduce((text, origin) => text.replaceAll(`${origin}/`, `${endpoint}/`), value);
  const environment = Object.fromEntries(
    Object.entries(definition.environment).map(([name, value]) => [name, localize(value)]),
  );
  return { ...definition, environment };
}
