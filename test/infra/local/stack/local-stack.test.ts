import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalStack, type LocalStack } from '../../../../infra/local/stack/local-stack.ts';

describe('the synthesized stack on embedded services', () => {
  let stack: LocalStack;

  beforeAll(async () => {
    stack = await startLocalStack({ emptySecret: true, config: { everyMinutes: 3 } });
  });

  afterAll(() => stack.close());

  it('gives the function the environment of the template, with all names resolved', () => {
    expect(stack.provisioned.functions).toMatchObject([
      {
        timeoutSeconds: 55,
        environment: {
          NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=4',
          SITECAST_CONFIG: expect.stringContaining(`"baseUrl":"${stack.baseUrl}"`) as string,
          SITECAST_TABLE: stack.tableName,
          SITECAST_TOPIC_ARN: stack.topicArn,
          SITECAST_QUARANTINE_URL: stack.quarantineUrl,
          SITECAST_REFRESH_TOKEN_SECRET: stack.secretArn,
        },
      },
    ]);
  });

  it('ticks at the rate of the template', () => {
    expect(stack.schedule).toMatchObject({ everySeconds: 180 });
  });

  it('starts with an empty secret, which the poller names until a token is put', async () => {
    const reading = stack.clients.secretsManager.send(
      new GetSecretValueCommand({ SecretId: stack.secretArn }),
    );
    await expect(reading).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    const running = stack.invoke();
    await expect(running).rejects.toMatchObject({ errorType: 'RefreshTokenRejectedError' });
    await expect(running).rejects.toThrow(stack.secretArn);
    await stack.putRefreshToken(stack.service?.refreshToken ?? '');
    expect(await stack.invoke()).toMatchObject({ leaseHeld: false, failing: 0 });
  });
});

describe('startLocalStack', () => {
  it('passes the config through the checks of a deployment', async () => {
    await expect(startLocalStack({ config: { perPage: 5000 } })).rejects.toMatchObject({
      name: 'SynthesisFailedError',
      message: expect.stringContaining(
        'notifier.local.perPage is 5000; allowed: a whole number of entities from 1 to 1000',
      ) as string,
    });
  });

  it('stops starting when it is aborted', async () => {
    const stop = new AbortController();
    const starting = startLocalStack({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(starting).rejects.toThrow('enough');
  });
});
