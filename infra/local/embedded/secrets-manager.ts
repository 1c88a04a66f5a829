import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './endpoints.ts';
import { startListening, type LocalServer } from './http-server.ts';

interface SecretVersion {
  readonly VersionId: string;
  readonly SecretString: string;
  /** Seconds since 1970. */
  readonly CreatedDate: number;
  /** Staging labels; each is on one version of a secret. */
  readonly VersionStages: Set<string>;
}

interface Secret {
  readonly ARN: string;
  readonly Name: string;
  readonly CreatedDate: number;
  /** By id, the oldest first; empty until a value is put. */
  readonly versions: Map<string, SecretVersion>;
}

/** An error answer in the format of AWS. */
class AwsServiceError extends Error {
  override readonly name = 'AwsServiceError';
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

const SecretName = z.string().regex(/^[A-Za-z0-9/_+=.@-]{1,512}$/);
const Token = z
  .string()
  .min(32)
  .max(64)
  .default(() => randomUUID());
const SecretId = z.string().min(1);
const CreateInput = z.object({
  Name: SecretName,
  SecretString: z.string().min(1).optional(),
  ClientRequestToken: Token,
});
const PutInput = z.object({
  SecretId,
  SecretString: z.string().min(1),
  ClientRequestToken: Token,
  VersionStages: z.array(z.string().min(1)).min(1).default(['AWSCURRENT']),
});
const GetInput = z.object({
  SecretId,
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
const IdInput = z.object({ SecretId });

/**
 * Starts an in-memory Secrets Manager with the operations that the stack and its operators need, for
 * text secrets. A version without a staging label is forgotten.
 */
export async function startSecretsManager(port = 0): Promise<LocalServer> {
  const secrets = new Map<string, Secret>();
  const operations: Record<string, (input: unknown) => object> = {
    CreateSecret: (input) => createSecret(secrets, parse(CreateInput, input)),
    DescribeSecret: (input) => describeSecret(find(secrets, parse(IdInput, input).SecretId)),
    GetSecretValue: (input) => getSecretValue(secrets, parse(GetInput, input)),
    ListSecretVersionIds: (input) => listVersions(find(secrets, parse(IdInput, input).SecretId)),
    PutSecretValue: (input) => putSecretValue(secrets, parse(PutInput, input)),
  };

  const app = new Hono();
  app.post('/', async (context) => {
    const target = context.req.header('x-amz-target') ?? '';
    const operation = operations[target.replace(/^secretsmanager\./, '')];
    if (!operation) {
      throw new AwsServiceError('UnknownOperationException', `${target} is not supported`);
    }
    const input: unknown = await context.req.json().catch(() => {
      throw new AwsServiceError('SerializationException', 'the body is not JSON');
    });
    return answer(context, 200, operation(input));
  });
  app.onError((error, context) =>
    error instanceof AwsServiceError
      ? answer(context, 400, { __type: error.type, Message: error.message })
      : answer(context, 500, { __type: 'InternalServiceError', Message: error.message }),
  );

  return startListening(createAdaptorServer({ fetch: app.fetch }) as Server, port);
}

function answer(context: Context, status: 200 | 400 | 500, body: object): Response {
  return context.body(JSON.stringify(body), status, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
  });
}

function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new AwsServiceError('InvalidParameterException', `missing or malformed: ${fields}`);
}

function createSecret(secrets: Map<string, Secret>, input: z.infer<typeof CreateInput>): object {
  const { Name, SecretString, ClientRequestToken } = input;
  if (secrets.has(Name)) {
    const message = `The operation failed because the secret ${Name} already exists.`;
    throw new AwsServiceError('ResourceExistsException', message);
  }
  // As on AWS, six random characters distinguish a new secret from a deleted one of the same name.
  const suffix = randomBytes(3).toString('hex');
  const ARN = `arn:aws:secretsmanager:${LOCAL_REGION}:${LOCAL_ACCOUNT}:secret:${Name}-${suffix}`;
  const secret: Secret = { ARN, Name, CreatedDate: now(), versions: new Map() };
  secrets.set(Name, secret);
  if (SecretString === undefined) return { ARN, Name };
  store(secret, ClientRequestToken, SecretString, ['AWSCURRENT']);
  return { ARN, Name, VersionId: ClientRequestToken };
}

function putSecretValue(secrets: Map<string, Secret>, input: z.infer<typeof PutInput>): object {
  const { SecretString, ClientRequestToken: VersionId, VersionStages } = input;
  const secret = find(secrets, input.SecretId);
  const existing = secret.versions.get(VersionId);
  if (existing && existing.SecretString !== SecretString) {
    const message = `You can't use ClientRequestToken ${VersionId} because that value is already in use for a version of secret ${secret.ARN}.`;
    throw new AwsServiceError('ResourceExistsException', message);
  }
  if (!existing) store(secret, VersionId, SecretString, VersionStages);
  return { ARN: secret.ARN, Name: secret.Name, VersionId, VersionStages };
}

function getSecretValue(secrets: Map<string, Secret>, input: z.infer<typeof GetInput>): object {
  const { VersionId, VersionStage } = input;
  const { ARN, Name, versions } = find(secrets, input.SecretId);
  const stage = VersionStage ?? (VersionId === undefined ? 'AWSCURRENT' : undefined);
  const version =
    VersionId === undefined ? withStage(versions, stage ?? '') : versions.get(VersionId);
  if (!version) {
    const label = VersionId === undefined ? `staging label: ${stage}` : `VersionId: ${VersionId}`;
    const message = `Secrets Manager can't find the specified secret value for ${label}`;
    throw new AwsServiceError('ResourceNotFoundException', message);
  }
  if (stage !== undefined && !version.VersionStages.has(stage)) {
    const message = 'You provided a VersionStage that is not associated to the provided VersionId.';
    throw new AwsServiceError('InvalidRequestException', message);
  }
  return { ARN, Name, ...version, VersionStages: [...version.VersionStages] };
}

function describeSecret({ ARN, Name, CreatedDate, versions }: Secret): object {
  const all = [...versions.values()];
  const stages = all.map(({ VersionId, VersionStages }) => [VersionId, [...VersionStages]]);
  const LastChangedDate = all.at(-1)?.CreatedDate ?? CreatedDate;
  const VersionIdsToStages: unknown = Object.fromEntries(stages);
  return { ARN, Name, CreatedDate, LastChangedDate, VersionIdsToStages };
}

function listVersions({ ARN, Name, versions }: Secret): object {
  const Versions = [...versions.values()].map(({ VersionId, CreatedDate, VersionStages }) => ({
    VersionId,
    CreatedDate,
    VersionStages: [...VersionStages],
  }));
  return { ARN, Name, Versions };
}

/** Adds a version with its labels. The one that was current becomes the previous one. */
function store(
  { versions }: Secret,
  VersionId: string,
  SecretString: string,
  stages: readonly string[],
): void {
  const current = withStage(versions, 'AWSCURRENT');
  const added: SecretVersion = {
    VersionId,
    SecretString,
    CreatedDate: now(),
    VersionStages: new Set(),
  };
  versions.set(VersionId, added);
  const move = (stage: string, version: SecretVersion): void => {
    withStage(versions, stage)?.VersionStages.delete(stage);
    version.VersionStages.add(stage);
  };
  if (current && stages.includes('AWSCURRENT')) move('AWSPREVIOUS', current);
  for (const stage of stages) move(stage, added);
  for (const { VersionId: id, VersionStages } of [...versions.values()]) {
    if (VersionStages.size === 0) versions.delete(id);
  }
}

function withStage(versions: Secret['versions'], stage: string): SecretVersion | undefined {
  return [...versions.values()].find(({ VersionStages }) => VersionStages.has(stage));
}

/** Seconds since 1970. */
function now(): number {
  return Date.now() / 1000;
}

/** Finds a secret by name, ARN, or ARN without the random suffix. */
function find(secrets: ReadonlyMap<string, Secret>, id: string): Secret {
  for (const secret of secrets.values()) {
    const { ARN, Name } = secret;
    if ([Name, ARN, ARN.slice(0, -'-xxxxxx'.length)].includes(id)) return secret;
  }
  const message = "Secrets Manager can't find the specified secret.";
  throw new AwsServiceError('ResourceNotFoundException', message);
}
