/** Credentials as the SDK takes them. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * The SDK's default chain of credentials, less all that a Lambda function never uses: profiles, single
 * sign-on, web identities, instance metadata. Lambda hands the role's credentials over in the
 * environment. The bundler puts this in the chain's place, see `infra/constructs/bundling.ts`.
 *
 * @throws Error naming the variables, when they are not set.
 */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => Promise.resolve(fromEnvironment(process.env));
}

function fromEnvironment(env: NodeJS.ProcessEnv): Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set; Lambda sets them');
  }
  const sessionToken = env['AWS_SESSION_TOKEN'];
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
