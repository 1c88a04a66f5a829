import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { headers } from '../../../functions/settings/request-fields.ts';
import { startEmbeddedServices } from '../embedded/embedded-services.ts';
import type { Endpoints, LocalPorts } from '../embedded/endpoints.ts';
import { listenPreferably } from '../embedded/http-server.ts';
import { startLambdaApi } from '../lambda/lambda-api.ts';
import { startSimulator, type Simulator, type SimulatorOptions } from '../simulator/simulator.ts';
import { makeClients, type Clients } from './clients.ts';
import { Functions, type Schedule } from './functions.ts';
import { provision, type Provisioned } from './provision.ts';
import type { Template } from './resolve-template.ts';
import {
  declareSubscriber,
  subscribe,
  type DeclaredSubscriber,
  type Subscriber,
} from './subscriber.ts';
import { synthesize } from './synthesize.ts';
import { findWebhooks, stubWebhooks, type LocalWebhook } from './webhooks.ts';

/** A real service to poll instead of the simulated one. */
export interface RealService {
  /** `{base_url}` of the spec. */
  readonly baseUrl: string;
  /** `{auth_url}` of the spec. */
  readonly authUrl: string;
  readonly refreshToken: string;
}

export interface LocalStackOptions {
  /** Polled instead of a simulated service. */
  readonly realService?: RealService;
  readonly service?: SimulatorOptions;
  /** Default: any free ports. */
  readonly ports?: LocalPorts;
  /** Name of the stage in messages about its config. */
  readonly stage?: string;
  /** Fields of the stage's config as in cdk.json, without the two addresses. */
  readonly config?: Readonly<Record<string, unknown>>;
  /**
   * Endpoints outside this machine to which webhooks of the config deliver. Others have a stub
   * queue; those of this machine always get their events.
   */
  readonly webhooks?: readonly string[];
  /** Leave the secret empty, as a new deployment does. Default false. */
  readonly emptySecret?: boolean;
  /** Time-out of a run, as long as a killed one keeps others out. Default: the template's. */
  readonly pollerTimeoutSeconds?: number;
  /** Receives each line that the function writes. */
  readonly onLog?: (line: string) => void;
  /**
   * Maps the endpoints for the function, for example to a proxy that sees the function's calls
   * only. Default: unchanged.
   */
  readonly endpointsOfFunction?: (endpoints: Endpoints) => Promise<Endpoints>;
  readonly signal?: AbortSignal;
}

/** The synthesized stack on embedded services. */
export interface LocalStack {
  /** The simulated service; undefined when a real one is polled. */
  readonly service: Simulator | undefined;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly declaredSubscribers: readonly DeclaredSubscriber[];
  /** Webhooks that deliver. */
  readonly webhooks: readonly LocalWebhook[];
  readonly endpoints: Endpoints;
  /** Base URL of Lambda's API, for all functions of the template and their event source mappings. */
  readonly lambdaUrl: string;
  readonly clients: Clients;
  /** The CDK app's template, unresolved. */
  readonly template: Template;
  /** Resources and outputs of the template. */
  readonly provisioned: Provisioned;
  readonly tableName: string;
  readonly topicArn: string;
  readonly secretArn: string;
  /** The schedules of the first deployment, by shard. */
  readonly schedules: readonly Schedule[];
  /**
   * Runs the poller of a shard once, as its schedule does. Default: shard 0.
   *
   * @throws FunctionError when the run fails or is killed.
   */
  invoke(shard?: number): Promise<RunSummary>;
  /** Runs the pollers of all shards side by side. */
  invokeAll(): Promise<readonly RunSummary[]>;
  /** Kills the functions' processes at any time, like a crash. */
  killFunction(): Promise<void>;
  /**
   * Replaces the functions by those of a changed config, as a deployment does. Other resources
   * stay.
   *
   * @param config as in {@link LocalStackOptions}.
   */
  redeploy(config: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits until webhooks have tried what was published, or until it is aborted. */
  settle(signal: AbortSignal): Promise<void>;
  /** Subscribes a queue to the topic. */
  subscribe(filterPolicy?: Readonly<Record<string, unknown>>): Promise<Subscriber>;
  /** Puts the refresh token, as the operator does. */
  putRefreshToken(token: string): Promise<void>;
  /** Stops everything, including a current run, and deletes all files. */
  close(): Promise<void>;
}

/**
 * Starts the simulated service and the embedded AWS services, synthesizes the CDK app for them, and
 * provisions the template. The poller does not run yet.
 *
 * @throws SynthesisFailedError when the config is invalid; TemplateError when the template needs a
 *   feature that the local stack lacks; the signal's reason when it is aborted.
 */
export async function startLocalStack(options: LocalStackOptions = {}): Promise<LocalStack> {
  const closers = new AsyncDisposableStack();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closers.disposeAsync());
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: LocalStackOptions,
  closers: AsyncDisposableStack,
): Promise<Omit<LocalStack, 'close'>> {
  const { signal, stage, config = {}, webhooks = [] } = options;
  const { service, polled } = await startPolledService(options, closers);
  const { baseUrl, authUrl } = polled;
  const embedded = await startEmbeddedServices(options.ports);
  closers.defer(() => embedded.close());
  const clients = closers.adopt(makeClients(embedded.endpoints), ({ destroy }) => {
    destroy();
  });
  signal?.throwIfAborted();
  const deploy = async (fields: object, before?: Provisioned) => {
    const assembly = await synthesize({ ...fields, baseUrl, authUrl }, { stage, signal });
    closers.defer(() => assembly.remove());
    const provisioned = await provision(assembly, clients, before?.resources);
    return { template: assembly.template, provisioned: stubWebhooks(provisioned, webhooks) };
  };
  const { template, provisioned } = await deploy(config);
  const { outputs, stubQueues } = provisioned;
  const { TopicArn: topicArn = '', TableName: tableName = '' } = outputs;
  const running = await runFunctions(provisioned, clients, options, closers);
  const secretArn = outputs['RefreshTokenSecretArn'] ?? '';
  const putRefreshToken = async (token: string): Promise<void> => {
    const put = new PutSecretValueCommand({ SecretId: secretArn, SecretString: token });
    await clients.secretsManager.send(put);
  };
  if (!options.emptySecret) await putRefreshToken(polled.refreshToken);
  signal?.throwIfAborted();
  let queueCount = 0;
  return {
    ...{ service, baseUrl, authUrl, clients, template, provisioned },
    ...{ topicArn, tableName, secretArn, putRefreshToken },
    ...running,
    declaredSubscribers: stubQueues.map((stub) =>
      declareSubscriber(stub, clients, config['subscribers']),
    ),
    webhooks: await findWebhooks(provisioned, clients),
    redeploy: async (fields) => running.replace((await deploy(fields, provisioned)).provisioned),
    subscribe: (filterPolicy) =>
      subscribe(clients, topicArn, `subscriber-${++queueCount}`, filterPolicy),
  };
}

/** Runs the functions of a template behind Lambda's API. `replace` runs those of another one. */
async function runFunctions(
  provisioned: Provisioned,
  clients: Clients,
  { onLog, pollerTimeoutSeconds, endpointsOfFunction }: LocalStackOptions,
  closers: AsyncDisposableStack,
) {
  let functions: Functions;
  const lambda = await startLambdaApi(() => functions);
  const endpoints = { ...clients.endpoints, lambda: lambda.url };
  const options = {
    endpoints: (await endpointsOfFunction?.(endpoints)) ?? endpoints,
    ...{ clients, onLog, pollerTimeoutSeconds },
  };
  functions = new Functions(provisioned, options);
  closers.defer(() => functions.close());
  // Closed first, so that no caller learns that the process of its function was killed.
  closers.defer(() => lambda.close());
  return {
    ...{ endpoints, lambdaUrl: lambda.url, schedules: functions.schedules },
    invoke: (shard?: number) => functions.poll(shard),
    invokeAll: () => Promise.all(functions.schedules.map(({ shard }) => functions.poll(shard))),
    killFunction: () => functions.kill(),
    settle: (until: AbortSignal) => functions.settle(until),
    replace: async (deployed: Provisioned): Promise<void> => {
      await functions.retire();
      functions = new Functions(deployed, options, functions);
    },
  };
}

async function startPolledService(
  options: LocalStackOptions,
  closers: AsyncDisposableStack,
): Promise<{ service: Simulator | undefined; polled: RealService }> {
  if (options.realService) return { service: undefined, polled: options.realService };
  // Headers that are invalid are refused by the synthesis.
  const names = headers.safeParse(options.config?.['headers']).data;
  const behaviour = { ...(names && { headers: names }), ...options.service?.behaviour };
  const service = await listenPreferably(options.ports?.service ?? 0, (port) =>
    startSimulator({ ...options.service, port, behaviour }),
  );
  closers.defer(() => service.close());
  return { service, polled: service };
}
