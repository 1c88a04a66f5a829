import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { startEmbeddedServices } from '../embedded/embedded-services.ts';
import { sdkEnvironment, type Endpoints } from '../embedded/endpoints.ts';
import { listenPreferably } from '../embedded/http-server.ts';
import type { LocalPorts } from '../embedded/ports.ts';
import { LambdaHost, type FunctionDefinition } from '../lambda/lambda-host.ts';
import { startService, type RunningService, type ServiceOptions } from '../service/server.ts';
import { makeClients, type Clients } from './clients.ts';
import { declareSubscriber, type DeclaredSubscriber } from './declared-subscriber.ts';
import { provision, type Provisioned } from './provision.ts';
import { TemplateError, type Template } from './resolve-template.ts';
import { makeScheduledEvent, type Schedule } from './ticker.ts';
import { subscribe, type SubscribeOptions, type Subscriber } from './subscriber.ts';
import { synthesize } from './synthesize.ts';

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
  readonly service?: ServiceOptions;
  /** Default: any free ports. */
  readonly ports?: LocalPorts;
  /** Name of the stage in messages about its config. */
  readonly stage?: string;
  /** Fields of the stage's config as in cdk.json, without the two addresses. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Leave the secret empty, as a new deployment does. Default false. */
  readonly emptySecret?: boolean;
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
  readonly service: RunningService | undefined;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly declaredSubscribers: readonly DeclaredSubscriber[];
  readonly endpoints: Endpoints;
  readonly clients: Clients;
  /** The CDK app's template, unresolved. */
  readonly template: Template;
  /** Resources and outputs of the template. */
  readonly provisioned: Provisioned;
  readonly tableName: string;
  readonly topicArn: string;
  readonly secretArn: string;
  readonly quarantineUrl: string;
  readonly failuresUrl: string;
  /** The schedule that starts the poller on AWS. */
  readonly schedule: Schedule;
  /**
   * Runs the poller once, as the schedule does.
   *
   * @throws FunctionError when the run fails or is killed; FunctionThrottledError during another
   *   run.
   */
  invoke(): Promise<RunSummary>;
  /** Kills the poller's process at any time, like a crash. */
  killFunction(): Promise<void>;
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
  const provisioned = await provision(assembly, clients);
  const { outputs } = provisioned;
  const [schedule, target] = findSchedule(provisioned);
  const endpointsOfFunction =
    (await options.endpointsOfFunction?.(embedded.endpoints)) ?? embedded.endpoints;
  const poller = new LambdaHost(withQueueUrlsAt(endpointsOfFunction.sqs, target, provisioned), {
    sdkEnvironment: sdkEnvironment(endpointsOfFunction),
    ...(onLog && { onLog }),
  });
  onClose(() => poller.kill());

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
    endpoints: embedded.endpoints,
    clients,
    template: assembly.template,
    provisioned,
    tableName: output(outputs, 'TableName'),
    topicArn,
    secretArn,
    quarantineUrl: output(outputs, 'QuarantineUrl'),
    failuresUrl: output(outputs, 'FailuresUrl'),
    schedule,
    // The poller's handler always returns a RunSummary.
    invoke: () => poller.invoke(makeScheduledEvent(schedule, new Date())) as Promise<RunSummary>,
    killFunction: () => poller.kill(),
    subscribe: (subscription) =>
      subscribe(clients, topicArn, `subscriber-${++queues}`, subscription),
    putRefreshToken,
  };
}

async function startPolledService(
  options: LocalStackOptions,
  onClose: (closer: () => Promise<void>) => void,
): Promise<{ service: RunningService | undefined; polled: RealService }> {
  if (options.realService) return { service: undefined, polled: options.realService };
  const service = await listenPreferably(options.ports?.service ?? 0, (port) =>
    startService({ ...options.service, port }),
  );
  onClose(() => service.close());
  return { service, polled: service };
}

/** Returns the template's only schedule and the function that it invokes. */
function findSchedule({ schedules, functions }: Provisioned): [Schedule, FunctionDefinition] {
  const [schedule] = schedules;
  if (!schedule || schedules.length > 1) {
    throw new TemplateError(
      `The template must have exactly one schedule; it has ${schedules.length}`,
    );
  }
  const target = functions.find(({ arn }) => arn === schedule.targetArn);
  if (!target) {
    throw new TemplateError(
      `${schedule.name} invokes ${schedule.targetArn}, which is not a function of the template`,
    );
  }
  return [schedule, target];
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

function output(outputs: Readonly<Record<string, string>>, name: string): string {
  const value = outputs[name];
  if (value === undefined) {
    const available = Object.keys(outputs).join(', ') || 'none';
    throw new TemplateError(`The template has no output ${name}; it has ${available}`);
  }
  return value;
}
