import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './endpoints.ts';
import { startListening, type LocalServer } from './http-server.ts';

interface Secret {
  readonly ARN: string;
  readonly Name: string;
  /** Absent until a value is put. */
  current?: object;
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
const CreateInput = z.object({ Name: SecretName, SecretString: z.string().min(1).optional() });
const PutInput = z.object({ SecretId: z.string().min(1), SecretString: z.string().min(1) });
const GetInput = z.object({ SecretId: z.string().min(1), VersionStage: z.string().optional() });

/**
 * Starts an in-memory Secrets Manager with the operations that the stack needs: CreateSecret,
 * PutSecretValue and GetSecretValue of text secrets. It keeps the current version only.
 */
export async function startSecretsManager(port = 0): Promise<LocalServer> {
  const secrets = new Map<string, Secret>();
  const operations: Record<string, (input: unknown) => object> = {
    'secretsmanager.CreateSecret': (input) => createSecret(secrets, parse(CreateInput, input)),
    'secretsmanager.PutSecretValue': (input) => putSecretValue(secrets, parse(PutInput, input)),
    'secretsmanager.GetSecretValue': (input) => getSecretValue(secrets, parse(GetInput, input)),
  };

  const app = new Hono();
  app.post('/', async (context) => {
    const target = context.req.header('x-amz-target') ?? '';
    const operation = operations[target];
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
  const { Name, SecretString } = input;
  if (secrets.has(Name)) {
    const message = `The operation failed because the secret ${Name} already exists.`;
    throw new AwsServiceError('ResourceExistsException', message);
  }
  // As on AWS, six random characters distinguish a new secret from a deleted one of the same name.
  const suffix = randomBytes(3).toString('hex');
  const ARN = `arn:aws:secretsmanager:${LOCAL_REGION}:${LOCAL_ACCOUNT}:secret:${Name}-${suffix}`;
  const secret: Secret = { ARN, Name };
  secrets.set(Name, secret);
  if (SecretString === undefined) return secret;
  return { ARN, Name, VersionId: store(secret, SecretString) };
}

function putSecretValue(secrets: Map<string, Secret>, input: z.infer<typeof PutInput>): object {
  const secret = find(secrets, input.SecretId);
  const VersionId = store(secret, input.SecretString);
  return { ARN: secret.ARN, Name: secret.Name, VersionId, VersionStages: ['AWSCURRENT'] };
}

function getSecretValue(secrets: Map<string, Secret>, input: z.infer<typeof GetInput>): object {
  const { ARN, Name, current } = find(secrets, input.SecretId);
  const stage = input.VersionStage ?? 'AWSCURRENT';
  if (!current || stage !== 'AWSCURRENT') {
    const message = `Secrets Manager can't find the specified secret value for staging label: ${stage}`;
    throw new AwsServiceError('ResourceNotFoundException', message);
  }
  return { ARN, Name, ...current, VersionStages: ['AWSCURRENT'] };
}

function store(secret: Secret, SecretString: string): string {
  const VersionId = randomUUID();
  secret.current = { SecretString, VersionId, CreatedDate: Date.now() / 1000 };
  return VersionId;
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
