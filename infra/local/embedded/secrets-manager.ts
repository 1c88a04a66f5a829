import { randomBytes, randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './endpoints.ts';
import { serveApp, type LocalServer } from './http-server.ts';

interface Version {
  readonly VersionId: string;
  readonly SecretString: string;
  /** Seconds since 1970. */
  readonly CreatedDate: number;
}

interface Secret {
  readonly ARN: string;
  readonly Name: string;
  /** The current version, and the previous one. */
  versions: readonly Version[];
}

interface Input {
  readonly Name: string;
  readonly SecretId: string;
  readonly SecretString?: string;
  readonly VersionStage?: 'AWSCURRENT' | 'AWSPREVIOUS';
}

/** Starts an in-memory Secrets Manager: a secret is created, put and read, for text secrets. */
export async function startSecretsManager(port = 0): Promise<LocalServer> {
  const secrets: Secret[] = [];
  const operations: Readonly<Record<string, (input: Input) => object>> = {
    CreateSecret: ({ Name, SecretString }) => {
      // As on AWS, six random characters distinguish a new secret from a deleted one of that name.
      const id = `${Name}-${randomBytes(3).toString('hex')}`;
      const ARN = `arn:aws:secretsmanager:${LOCAL_REGION}:${LOCAL_ACCOUNT}:secret:${id}`;
      const secret: Secret = { ARN, Name, versions: [] };
      secrets.push(secret);
      if (SecretString !== undefined) put(secret, SecretString);
      return { ARN, Name };
    },
    PutSecretValue: ({ SecretId, SecretString = '' }) => {
      const secret = find(secrets, SecretId);
      put(secret, SecretString);
      return { ARN: secret.ARN, Name: secret.Name, VersionId: secret.versions[0]?.VersionId };
    },
    GetSecretValue: ({ SecretId, VersionStage = 'AWSCURRENT' }) => {
      const { ARN, Name, versions } = find(secrets, SecretId);
      const version = versions[VersionStage === 'AWSCURRENT' ? 0 : 1];
      if (version) return { ARN, Name, ...version, VersionStages: [VersionStage] };
      throw missing(`the specified secret value for staging label: ${VersionStage}`);
    },
  };
  const app = new Hono();
  app.post('/', async (context) => {
    const target = context.req.header('x-amz-target') ?? '';
    const operation = operations[target.replace('secretsmanager.', '')];
    if (!operation) throw missing(`the operation ${target}`);
    return context.json(operation(await context.req.json<Input>()));
  });
  app.onError(({ message }, context) =>
    context.json({ __type: 'ResourceNotFoundException', Message: message }, 400),
  );
  return serveApp(app, port);
}

function put(secret: Secret, SecretString: string): void {
  const added = { VersionId: randomUUID(), SecretString, CreatedDate: Date.now() / 1000 };
  secret.versions = [added, ...secret.versions.slice(0, 1)];
}

/** Finds a secret by name, ARN, or ARN without the random suffix. */
function find(secrets: readonly Secret[], id: string): Secret {
  const found = secrets.find(({ ARN, Name }) =>
    [Name, ARN, ARN.slice(0, -'-xxxxxx'.length)].includes(id),
  );
  if (found) return found;
  throw missing('the specified secret.');
}

function missing(what: string): Error {
  return new Error(`Secrets Manager can't find ${what}`);
}
