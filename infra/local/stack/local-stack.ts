import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { ControlAnswer } from '../../../functions/control/protocol.ts';
import { headers } from '../../../functions/settings/request-fields.ts';
import { makeClients, type Clients } from '../embedded/clients.ts';
import { startEmbeddedServices } from '../embedded/embedded-services.ts';
import type { Endpoints, LocalPorts } from '../embedded/endpoints.ts';
import { startLambdaApi } from '../lambda/lambda-api.ts';
import { startSimulator, type Simulator, type SimulatorOptions } from '../simulator/simulator.ts';
import { Functions } from './functions.ts';
import { provision, type Provisioned } from './provision.ts';
import { declareSubscriber, subscribe } from './subscriber.ts';
import { findWebhooks, stubWebhooks } from './webhooks.ts';
import { synthesize } from '#parts';

/** A real service to poll instead of the simulated one. */
export interface RealService {
  /** `{base_url}` of the spec. */
  readonly baseUrl: string;
  /** `{auth_url}` of the spec. */
  readonly authUrl: string;
  readonly refreshToken: string;
}

export interface LocalStackOptions {
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
export type LocalStack = Awaited<ReturnType<typeof startLocalStack>>;

/**
 * Starts the simulated service and the embedded AWS services, synthesizes the CDK app for them, and
 * provisions the template. The poller does not run yet.
 *
 * @throws ConfigInvalidError when the config is invalid; TemplateError when the template needs a
 *   feature that the local stack lacks; the signal's reason when it is aborted.
 */
export async function startLocalStack(options: LocalStackOptions = {}) {
  const closers: Closer[] = [];
  let closing: Promise<void> | undefined;
  /** Stops everything, including a current run, and deletes all files. */
  const close = (): Promise<void> => (closing ??= closeAll(closers));
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Stops a part of the stack. */
type Closer = () => Promise<void> | void;

/** Closes the last first, as the parts depend on each other. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

async function start(options: LocalStackOptions, closers: Closer[]) {
  const { signal, config = {}, webhooks = [] } = options;
  const { service, polled } = await startPolledService(options, closers);
  const { baseUrl, authUrl } = polled;
  const embedded = await startEmbeddedServices(options.ports);
  const clients = makeClients(embedded.endpoints);
  closers.push(embedded.close, clients.destroy);
  signal?.throwIfAborted();
  const { stage } = options;
  const assembly = await synthesize({ ...config, baseUrl, authUrl }, { stage, signal });
  closers.push(() => assembly.remove());
  const { template, warnings } = assembly;
  const provisioned = stubWebhooks(await provision(assembly, clients), webhooks);
  const running = await runFunctions(provisioned, clients, options, closers);
  const outputs = outputsOf(provisioned, clients);
  if (!options.emptySecret) await outputs.putRefreshToken(polled.refreshToken);
  signal?.throwIfAborted();
  return {
    /** The simulated service; undefined when a real one is polled. */
    service,
    ...{ baseUrl, authUrl, clients, template, warnings, provisioned },
    ...outputs,
    ...running,
    declaredSubscribers: provisioned.stubQueues.map((stub) =>
      declareSubscriber(stub, clients, config['subscribers']),
    ),
    webhooks: await findWebhooks(provisioned, clients),
  };
}

/** The work of operators and subscribers with the outputs of the stack. */
function outputsOf({ outputs }: Provisioned, clients: Clients) {
  const { TopicArn: topicArn = '', TableName: tableName = '' } = outputs;
  const { RefreshTokenSecretArn: secretArn = '' } = outputs;
  let queueCount = 0;
  return {
    ...{ topicArn, tableName, secretArn },
    /** Puts the refresh token, as the operator does. */
    putRefreshToken: async (token: string): Promise<void> => {
      const put = new PutSecretValueCommand({ SecretId: secretArn, SecretString: token });
      await clients.secretsManager.send(put);
    },
    subscribe: (filterPolicy?: Readonly<Record<string, unknown>>) =>
      subscribe(clients, topicArn, `subscriber-${++queueCount}`, filterPolicy),
  };
}

/** Runs the functions of a template behind Lambda's API. */
async function runFunctions(
  provisioned: Provisioned,
  clients: Clients,
  { onLog, pollerTimeoutSeconds, endpointsOfFunction }: LocalStackOptions,
  closers: Closer[],
) {
  let functions: Functions;
  const lambda = await startLambdaApi(() => functions);
  const endpoints = { ...clients.endpoints, lambda: lambda.url };
  const options = {
    endpoints: (await endpointsOfFunction?.(endpoints)) ?? endpoints,
    ...{ clients, onLog, pollerTimeoutSeconds },
  };
  functions = new Functions(provisioned, options);
  closers.push(() => functions.close());
  // Closed first, so that no caller learns that the process of its function was killed.
  closers.push(() => lambda.close());
  return {
    endpoints,
    /** By shard. */
    schedules: functions.schedules,
    /** Runs the poller of a shard once. @throws FunctionError when the run fails or is killed. */
    invoke: (shard?: number) => functions.poll(shard),
    invokeAll: () => Promise.all(functions.schedules.map(({ shard }) => functions.poll(shard))),
    /** Asks the control function, which checks the request. @throws FunctionError if it fails. */
    control: async (request: unknown): Promise<ControlAnswer> => {
      const name = provisioned.outputs['ControlFunctionName'] ?? '';
      return (await functions.find(name)?.invoke(request)) as ControlAnswer;
    },
    /** Kills the functions' processes at any time, like a crash. */
    killFunction: () => functions.kill(),
  };
}

async function startPolledService(
  options: LocalStackOptions,
  closers: Closer[],
): Promise<{ service: Simulator | undefined; polled: RealService }> {
  if (options.realService) return { service: undefined, polled: options.realService };
  // Headers that are invalid are refused by the synthesis.
  const names = headers.safeParse(options.config?.['headers']).data;
  const behaviour = { ...(names && { headers: names }), ...options.service?.behaviour };
  const { service: port = 0 } = options.ports ?? {};
  const service = await startSimulator({ ...options.service, port, behaviour });
  closers.push(() => service.close());
  return { service, polled: service };
}
