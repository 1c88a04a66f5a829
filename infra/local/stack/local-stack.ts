import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { headers } from '../../../functions/settings/request-fields.ts';
import { startEmbeddedServices } from '../embedded/embedded-services.ts';
import type { Endpoints } from '../embedded/endpoints.ts';
import { listenPreferably } from '../embedded/http-server.ts';
import type { LocalPorts } from '../embedded/ports.ts';
import { startInvokeServer } from '../lambda/invoke-server.ts';
import { startSimulator, type Simulator, type SimulatorOptions } from '../simulator/simulator.ts';
import { makeClients, type Clients } from './clients.ts';
import { Functions } from './functions.ts';
import { provision, type Provisioned } from './provision.ts';
import { TemplateError, type Template } from './resolve-template.ts';
import { subscribe, type SubscribeOptions, type Subscriber } from './subscriber.ts';
import { declareSubscriber, type DeclaredSubscriber } from './subscribers/declared-subscriber.ts';
import { findWebhooks, holdBackWebhooks, type LocalWebhook } from './subscribers/webhooks.ts';
import { synthesize } from './synthesize.ts';
import type { Schedule } from './ticker.ts';

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
   * Endpoints outside this machine to which webhooks of the config deliver. A queue stands in for others; those of
   * this machine always get their events.
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
   * @throws FunctionError when the run fails or is killed; FunctionThrottledError during another.
   */
  invoke(shard?: number): Promise<RunSummary>;
  /** Runs the pollers of all shards side by side. */
  invokeAll(): Promise<readonly RunSummary[]>;
  /** Kills the functions' processes at any time, like a crash. */
  killFunction(): Promise<void>;
  /**
   * Replaces the functions by those of a changed config, as a deployment does. Other resources stay.
   *
   * @param config as in {@link LocalStackOptions}.
   */
  redeploy(config: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits until webhooks have tried what was published, or until it is aborted. */
  settle(signal: AbortSignal): Promise<void>;
  subscribe(options?: SubscribeOptions): Promise<Subscriber>;
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
  const closers: (() => Promise<void> | void)[] = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= closeAll(closers);
    return closing;
  };
  try {
    const stack = await start(options, (closer) => closers.push(closer));
    return { ...stack, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Closes in reverse order of starting. A failure does not keep the others open. */
async function closeAll(closers: readonly (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const closer of closers.toReversed()) {
    try {
      await closer();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, 'The local stack did not stop cleanly');
}

async function start(
  options: LocalStackOptions,
  onClose: (closer: () => Promise<void> | void) => void,
): Promise<Omit<LocalStack, 'close'>> {
  const { signal, onLog } = options;
  const { service, polled } = await startPolledService(options, onClose);
  signal?.throwIfAborted();

  const embedded = await startEmbeddedServices(options.ports);
  onClose(() => embedded.close());
  const clients = makeClients(embedded.endpoints);
  onClose(() => {
    clients.destroy();
  });
  signal?.throwIfAborted();

  const { baseUrl, authUrl } = polled;
  const assembly = await synthesize(
    { ...options.config, baseUrl, authUrl },
    { ...(options.stage !== undefined && { stage: options.stage }), signal },
  );
  onClose(() => assembly.remove());
  const { webhooks = [] } = options;
  const provisioned = holdBackWebhooks(await provision(assembly, clients), webhooks);
  const { outputs } = provisioned;
  let functions: Functions;
  const lambda = await startInvokeServer(() => functions);
  onClose(() => lambda.close());
  const endpoints = { ...embedded.endpoints, lambda: lambda.url };
  const functionsOptions = {
    endpoints: (await options.endpointsOfFunction?.(endpoints)) ?? endpoints,
    sqs: clients.sqs,
    ...(onLog && { onLog }),
    pollerTimeoutSeconds: options.pollerTimeoutSeconds,
  };
  functions = new Functions(provisioned, functionsOptions);
  onClose(() => functions.close());
  // Before that, so that no caller learns that the process of its function was killed.
  onClose(() => lambda.close());

  const secretArn = output(outputs, 'RefreshTokenSecretArn');
  const putRefreshToken = async (token: string): Promise<void> => {
    const put = new PutSecretValueCommand({ SecretId: secretArn, SecretString: token });
    await clients.secretsManager.send(put);
  };
  if (!options.emptySecret) await putRefreshToken(polled.refreshToken);
  signal?.throwIfAborted();

  const topicArn = output(outputs, 'TopicArn');
  let queues = 0;
  return {
    service,
    baseUrl,
    authUrl,
    declaredSubscribers: provisioned.standIns.map((standIn) =>
      declareSubscriber(standIn, clients, options.config?.['subscribers']),
    ),
    webhooks: await findWebhooks(provisioned, clients),
    endpoints,
    clients,
    template: assembly.template,
    provisioned,
    tableName: output(outputs, 'TableName'),
    topicArn,
    secretArn,
    schedules: functions.schedules,
    lambdaUrl: lambda.url,
    invoke: (shard) => functions.poll(shard),
    invokeAll: () => functions.pollAll(),
    killFunction: () => functions.kill(),
    redeploy: async (config) => {
      const changed = await synthesize({ ...config, baseUrl, authUrl });
      onClose(() => changed.remove());
      const deployed = await provision(changed, clients, provisioned.resources);
      await functions.retire();
      functions = new Functions(holdBackWebhooks(deployed, webhooks), functionsOptions, functions);
    },
    settle: (until) => functions.settle(until),
    subscribe: (subscription) =>
      subscribe(clients, topicArn, `subscriber-${++queues}`, subscription),
    putRefreshToken,
  };
}

async function startPolledService(
  options: LocalStackOptions,
  onClose: (closer: () => Promise<void>) => void,
): Promise<{ service: Simulator | undefined; polled: RealService }> {
  if (options.realService) return { service: undefined, polled: options.realService };
  // Headers that are invalid are refused by the synthesis.
  const names = headers.safeParse(options.config?.['headers']).data;
  const behaviour = { ...(names && { headers: names }), ...options.service?.behaviour };
  const service = await listenPreferably(options.ports?.service ?? 0, (port) =>
    startSimulator({ ...options.service, port, behaviour }),
  );
  onClose(() => service.close());
  return { service, polled: service };
}

function output(outputs: Readonly<Record<string, string>>, name: string): string {
  const value = outputs[name];
  if (value === undefined) {
    const available = Object.keys(outputs).join(', ') || 'none';
    throw new TemplateError(`The template has no output ${name}; it has ${available}`);
  }
  return value;
}
