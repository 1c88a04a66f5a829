import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './endpoints.ts';
import { startListening, type LocalServer } from './http-server.ts';

interface Secret {
  readonly ARN: string;
  readonly Name: string;
  /** The current version, and the previous one. */
  values: readonly {
    readonly VersionId: string;
    readonly SecretString: string;
    /** Seconds since 1970. */
    readonly CreatedDate: number;
  }[];
}

const input = z.object({
  Name: z.string().default(''),
  SecretId: z.string().default(''),
  SecretString: z.string().min(1).optional(),
  VersionStage: z.enum(['AWSCURRENT', 'AWSPREVIOUS']).default('AWSCURRENT'),
});

/** An error answer in the format of AWS. */
class AwsServiceError extends Error {
  override readonly name = 'AwsServiceError';
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** Starts an in-memory Secrets Manager: a secret is created, put and read, for text secrets. */
export async function startSecretsManager(port = 0): Promise<LocalServer> {
  const secrets: Secret[] = [];
  const app = new Hono();
  app.post('/', async (context) => {
    const target = context.req.header('x-amz-target') ?? '';
    const request = input.parse(await context.req.json());
    return context.json(answer(target.replace(/^secretsmanager\./, ''), request, secrets));
  });
  app.onError((error, context) => {
    const type = error instanceof AwsServiceError ? error.type : 'InvalidParameterException';
    return context.json({ __type: type, Message: error.message }, 400);
  });
  return startListening(createAdaptorServer({ fetch: app.fetch }) as Server, port);
}

function answer(operation: string, request: z.infer<typeof input>, secrets: Secret[]): object {
  const { Name, SecretId, SecretString, VersionStage } = request;
  switch (operation) {
    case 'CreateSecret': {
      if (secrets.some((secret) => secret.Name === Name))
        throw new AwsServiceError('ResourceExistsException', `The secret ${Name} already exists.`);
      // As on AWS, six random characters tell a new secret from a deleted one of the same name.
      const id = `${Name}-${randomBytes(3).toString('hex')}`;
      const ARN = `arn:aws:secretsmanager:${LOCAL_REGION}:${LOCAL_ACCOUNT}:secret:${id}`;
      const secret: Secret = { ARN, Name, values: [] };
      secrets.push(secret);
      if (SecretString !== undefined) put(secret, SecretString);
      return { ARN, Name };
    }
    case 'PutSecretValue': {
      const secret = find(secrets, SecretId);
      if (SecretString === undefined)
        throw new AwsServiceError('InvalidParameterException', 'missing: SecretString');
      put(secret, SecretString);
      return { ARN: secret.ARN, Name: secret.Name, VersionId: secret.values[0]?.VersionId };
    }
    case 'GetSecretValue': {
      const { ARN, values, ...rest } = find(secrets, SecretId);
      const value = values[VersionStage === 'AWSCURRENT' ? 0 : 1];
      if (value !== undefined) return { ARN, ...rest, ...value, VersionStages: [VersionStage] };
      const message = `Secrets Manager can't find the specified secret value for staging label: ${VersionStage}`;
      throw new AwsServiceError('ResourceNotFoundException', message);
    }
    default:
      throw new AwsServiceError('UnknownOperationException', `${operation} is not supported`);
  }
}

function put(secret: Secret, SecretString: string): void {
  const [current] = secret.values;
  const added = { VersionId: randomUUID(), SecretString, CreatedDate: Date.now() / 1000 };
  secret.values = [added, ...(current ? [current] : [])];
}

/** Finds a secret by name, ARN, or ARN without the random suffix. */
function find(secrets: readonly Secret[], id: string): Secret {
  const found = secrets.find(({ ARN, Name }) =>
    [Name, ARN, ARN.slice(0, -'-xxxxxx'.length)].includes(id),
  );
  if (found !== undefined) return found;
  const message = "Secrets Manager can't find the specified secret.";
  throw new AwsServiceError('ResourceNotFoundException', message);
}
