import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { sdkEnvironment, type Endpoints } from '../embedded/endpoints.ts';
import { LambdaHost, type FunctionDefinition } from '../lambda/lambda-host.ts';
import type { Provisioned } from './provision.ts';
import { TemplateError } from './resolve-template.ts';
import { makeScheduledEvent, type Schedule } from './ticker.ts';

interface PollersOptions {
  /** Of the functions' SDK. */
  readonly endpoints: Endpoints;
  readonly onLog?: (line: string) => void;
}

/** The pollers of a template, each in its own process. */
export class Pollers {
  /** By shard. */
  readonly schedules: readonly Schedule[];
  readonly #hosts: readonly LambdaHost[];

  constructor(provisioned: Provisioned, { endpoints, onLog }: PollersOptions) {
    const found = findSchedules(provisioned);
    this.schedules = found.map(([schedule]) => schedule);
    this.#hosts = found.map(
      ([, target]) =>
        new LambdaHost(withQueueUrlsAt(endpoints.sqs, target, provisioned), {
          sdkEnvironment: sdkEnvironment(endpoints),
          ...(onLog && { onLog }),
        }),
    );
  }

  async invoke(shard = 0): Promise<RunSummary> {
    const [schedule, host] = [this.schedules[shard], this.#hosts[shard]];
    if (!schedule || !host) throw new RangeError(`The stack has no shard ${shard}`);
    // The poller's handler always returns a RunSummary.
    return (await host.invoke(makeScheduledEvent(schedule, new Date()))) as RunSummary;
  }

  invokeAll(): Promise<RunSummary[]> {
    return Promise.all(this.#hosts.map((_, shard) => this.invoke(shard)));
  }

  async kill(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.kill()));
  }
}

/** Returns the template's schedules and the functions that they invoke, by shard. */
function findSchedules({ schedules, functions }: Provisioned): [Schedule, FunctionDefinition][] {
  if (schedules.length === 0) throw new TemplateError('The template must have a schedule');
  const shardOf = ([, { environment }]: [Schedule, FunctionDefinition]): number =>
    Number(environment['SITECAST_SHARD'] ?? 0);
  const targetOf = (schedule: Schedule): FunctionDefinition => {
    const target = functions.find(({ arn }) => arn === schedule.targetArn);
    if (target !== undefined) return target;
    throw new TemplateError(
      `${schedule.name} invokes ${schedule.targetArn}, which is not a function of the template`,
    );
  };
  return schedules
    .map((schedule): [Schedule, FunctionDefinition] => [schedule, targetOf(schedule)])
    .sort((a, b) => shardOf(a) - shardOf(b));
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
