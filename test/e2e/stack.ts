import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import type { ChangeEvent, ClaimCheckEvent } from '../../functions/core/contract/events.ts';
import type { Endpoints } from '../../infra/local/embedded/endpoints.ts';
import type { LocalServer } from '../../infra/local/embedded/http-server.ts';
import type { Simulator } from '../../infra/local/simulator/simulator.ts';
import type { WorldSize } from '../../infra/local/simulator/world/seed.ts';
import {
  startLocalStack,
  type LocalStack,
  type LocalStackOptions,
} from '../../infra/local/stack/local-stack.ts';
import type { Delivery, Subscriber } from '../../infra/local/stack/subscriber.ts';
import type { Gate } from './gate.ts';

/** The local stack with a quiet simulated service, and all that its function logged. */
export interface TestStack extends LocalStack {
  readonly service: Simulator;
  readonly logs: readonly string[];
  /** Reads the event of a claim check as a subscriber does. */
  readLargeEvent(claimCheck: ClaimCheckEvent | undefined): Promise<ChangeEvent>;
}

/** Two projects. With ten, the poller's start and first poll take twice the CPU. */
export const SMALL_SITE: WorldSize = { projects: 2, shortProjects: 0 };

/**
 * Starts the local stack with a {@link SMALL_SITE}.
 *
 * @param config fields of the stage's config, as in cdk.json.
 */
export async function startTestStack(
  config: Readonly<Record<string, unknown>> = {},
  options: Pick<LocalStackOptions, 'endpointsOfFunction' | 'service'> = {},
): Promise<TestStack> {
  const logs: string[] = [];
  const stack = await startLocalStack({
    service: { size: SMALL_SITE },
    ...options,
    config,
    onLog: (line) => logs.push(line),
  });
  if (stack.service === undefined) throw new Error('the simulated service was not started');
  const readLargeEvent = async (claimCheck: ClaimCheckEvent | undefined): Promise<ChangeEvent> => {
    const { hostname: Bucket, pathname } = new URL(claimCheck?.dataref ?? '');
    const get = new GetObjectCommand({ Bucket, Key: pathname.slice(1) });
    const { Body } = await stack.clients.s3.send(get);
    return JSON.parse((await Body?.transformToString()) ?? '') as ChangeEvent;
  };
  return { ...stack, service: stack.service, logs, readLargeEvent };
}

/** A {@link TestStack} whose function reaches one of the services through a proxy. */
export interface ProxiedStack<Proxy extends LocalServer> extends TestStack {
  readonly proxy: Proxy;
}

/**
 * @param service that the function reaches through the proxy.
 * @param startProxy starts it in front of the service's address.
 * @param config as for {@link startTestStack}.
 */
export async function startProxiedStack<Proxy extends LocalServer>(
  service: Exclude<keyof Endpoints, 'lambda'>,
  startProxy: (address: string) => Promise<Proxy>,
  config: Readonly<Record<string, unknown>> = {},
): Promise<ProxiedStack<Proxy>> {
  const proxies: Proxy[] = [];
  const stack = await startTestStack(config, {
    endpointsOfFunction: async (endpoints) => {
      const started = await startProxy(endpoints[service]);
      proxies.push(started);
      return { ...endpoints, [service]: started.url };
    },
  });
  const [proxy] = proxies;
  if (proxy === undefined) throw new Error('the function was given no endpoints');
  return {
    ...stack,
    proxy,
    close: async () => {
      await stack.close();
      await proxy.close();
    },
  };
}

/** Runs the poller and kills its process when so many batches of events were published. */
export async function killWhilePublishing(
  stack: ProxiedStack<Gate>,
  batches: number,
): Promise<void> {
  const shut = stack.proxy.shutAfter(batches);
  const run = expect(stack.invoke()).rejects.toThrow('Runtime.ExitError');
  await shut;
  await stack.killFunction();
  await run;
  await stack.proxy.open();
}

export function eventOf({ message }: Delivery): ChangeEvent {
  return JSON.parse(message) as ChangeEvent;
}

export function claimCheckOf({ message }: Delivery): ClaimCheckEvent {
  return JSON.parse(message) as ClaimCheckEvent;
}

/** The events that lie in a queue, as `<type> <last segment of the subject>`, sorted. */
export async function takeEvents(subscriber: Subscriber): Promise<string[]> {
  const events = (await subscriber.drain()).map(eventOf);
  return events.map(({ type, subject }) => `${type} ${subject.replace(/.*\//, '')}`).sort();
}

/** Lets the lease of a killed run end, as the passing of time does. */
export async function endLease({ clients, tableName }: LocalStack): Promise<void> {
  await clients.dynamodb.send(
    new DeleteItemCommand({
      TableName: tableName,
      Key: { pk: { S: 'table' }, sk: { S: 'lease' } },
    }),
  );
}
