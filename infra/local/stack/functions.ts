import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { sdkEnvironment, type Endpoints } from '../embedded/endpoints.ts';
import { LambdaHost, type FunctionDefinition } from '../lambda/lambda-host.ts';
import type { Provisioned } from './provision.ts';
import { TemplateError } from './resolve-template.ts';
import { makeScheduledEvent, parseRate, type DeclaredSchedule, type Schedule } from './ticker.ts';

interface FunctionsOptions {
  /** Of the functions' SDK. */
  readonly endpoints: Endpoints;
  readonly onLog?: (line: string) => void;
}

/** The functions of a template, each in its own process: the pollers, and those without a schedule. */
export class Functions {
  /** Of the pollers, by shard. */
  readonly schedules: readonly Schedule[];
  /** By ARN. */
  readonly #hosts: ReadonlyMap<string, LambdaHost>;

  constructor(provisioned: Provisioned, { endpoints, onLog }: FunctionsOptions) {
    this.schedules = findSchedules(provisioned);
    this.#hosts = new Map(
      provisioned.functions.map((definition) => [
        definition.arn,
        new LambdaHost(withQueueUrlsAt(endpoints.sqs, definition, provisioned), {
          sdkEnvironment: sdkEnvironment(endpoints),
          ...(onLog && { onLog }),
        }),
      ]),
    );
  }

  /** Finds a function by its name or its ARN. */
  find(nameOrArn: string): LambdaHost | undefined {
    const named = [...this.#hosts.values()].find(({ definition }) => definition.name === nameOrArn);
    return named ?? this.#hosts.get(nameOrArn);
  }

  /** Invokes the poller of a shard, as its schedule does. */
  async poll(shard = 0): Promise<RunSummary> {
    const schedule = this.schedules[shard];
    const host = schedule && this.#hosts.get(schedule.targetArn);
    if (!schedule || !host) throw new RangeError(`The stack has no shard ${shard}`);
    // The poller's handler always returns a RunSummary.
    return (await host.invoke(makeScheduledEvent(schedule, new Date()))) as RunSummary;
  }

  pollAll(): Promise<RunSummary[]> {
    return Promise.all(this.schedules.map((_, shard) => this.poll(shard)));
  }

  async kill(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => host.kill()));
  }
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

/**
 * Replaces queue URLs in the function's environment by URLs at its endpoint. The SDK calls a queue
 * at the origin of its URL, and not every system resolves the host name that the embedded service
 * puts there.
 */
function withQueueUrlsAt(
  endpoint: string,
  definition: FunctionDefinition,
  { resources }: Provisioned,
): FunctionDefinition {
  const queues = [...resources.values()].filter(({ type }) => type === 'AWS::SQS::Queue');
  const urls = new Map(queues.map(({ ref }) => [ref, endpoint + new URL(ref).pathname]));
  const environment = Object.fromEntries(
    Object.entries(definition.environment).map(([name, value]) => [name, urls.get(value) ?? value]),
  );
  return { ...definition, environment };
}
