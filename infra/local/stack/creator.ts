import type { Clients } from '../embedded/clients.ts';
import type { MappingDefinition } from '../lambda/event-source-mapping.ts';
import type { FunctionDefinition } from '../lambda/lambda-function.ts';
import type { CreatedResource, ProvisionedResource } from './resolve-template.ts';

export interface DeclaredSchedule {
  /** `rate(…)` or `cron(…)`. */
  readonly expression: string;
  readonly targetArn: string;
}

/** A stub queue in place of a declared subscriber outside this machine. */
export interface StubQueue {
  readonly protocol: string;
  /** ARN or URL of the subscriber. */
  readonly endpoint: string;
  readonly queueUrl: string;
}

/** The clients that create resources, and the places of those that the host runs. */
export interface CreateContext {
  readonly clients: Clients;
  readonly assetDirectory: (s3Key: string) => string;
  readonly resources: ReadonlyMap<string, ProvisionedResource>;
  readonly functions: FunctionDefinition[];
  readonly mappings: MappingDefinition[];
  readonly schedules: DeclaredSchedule[];
  readonly stubQueues: StubQueue[];
}

/** Properties that the embedded service takes as attributes. */
export type Attributes = Readonly<Record<string, string | number | boolean | object>>;

/** The properties that are read, of all types: each has some of them. */
export type Properties = Attributes & {
  readonly TopicName?: string;
  readonly TopicArn: string;
  readonly Protocol: string;
  readonly Endpoint: string;
  readonly GenerateSecretString?: {
    readonly SecretStringTemplate: string;
    readonly GenerateStringKey: string;
    readonly PasswordLength: number;
  };
  readonly Code: { readonly S3Key: string };
  readonly Environment?: { readonly Variables: Readonly<Record<string, string>> };
  readonly Handler: string;
  readonly LoggingConfig: { readonly LogGroup: string };
  readonly MemorySize: number;
  readonly Timeout: number;
  readonly ScheduleExpression: string;
  readonly Target: string & { readonly Arn: string };
  readonly EventSourceArn: string;
  readonly FunctionName: string;
  readonly BatchSize: number;
  readonly Source: string;
};

/** @param properties of the template, its intrinsic functions resolved. */
export type Creator = (
  logicalId: string,
  properties: Properties,
  context: CreateContext,
) => CreatedResource | Promise<CreatedResource>;
