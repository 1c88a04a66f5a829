/** Credentials in the form of the SDK. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Replaces the SDK's default chain of credentials in the bundle (`infra/constructs/function-code.ts`). Lambda
 * passes the role's credentials in the environment; profiles, single sign-on, web identities and instance
 * metadata would be a quarter of the bundle.
 *
 * @throws Error naming the variables when they are not set.
 */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => Promise.resolve(fromEnvironment(process.env));
}

function fromEnvironment(env: NodeJS.ProcessEnv): Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set: Lambda sets them.');
  }
  const sessionToken = env['AWS_SESSION_TOKEN'];
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
