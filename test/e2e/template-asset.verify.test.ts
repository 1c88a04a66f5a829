import { join } from 'node:path';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { expect, it, onTestFinished } from 'vitest';
import { BUNDLES_VARIABLE } from '../../infra/construct/function-code.ts';
import { startSimulator } from '../../infra/local/simulator/simulator.ts';
import { Functions } from '../../infra/local/stack/functions.ts';
import { provision } from '../../infra/local/stack/provision.ts';
import { subscribe } from '../../infra/local/stack/subscriber.ts';
import {
  codeFileOf,
  makeTemplateAsset,
  RELEASED_FUNCTIONS,
} from '../../infra/package/release/template-asset.ts';
import { startClients } from '../support/embedded.ts';
import { withParameters } from '../support/with-parameters.ts';
import { SMALL_SITE, takeEvents } from './stack.ts';

it('the template of a release publishes what changes, and answers operators', async () => {
  const service = await startSimulator({ size: SMALL_SITE });
  onTestFinished(() => service.close());
  const clients = await startClients();
  const template = withParameters(makeTemplateAsset('1.2.3'), {
    ...{ BaseUrl: service.baseUrl, AuthUrl: service.authUrl, RequestsPerMinute: 600 },
    ...{ CodeBucket: 'code', CodePrefix: '', AlarmEmail: 'ops@builder.eu' },
    'AWS::StackName': 'changes',
  });
  const bundles = process.env[BUNDLES_VARIABLE] ?? '';
  const nameOf = (s3Key: string) =>
    RELEASED_FUNCTIONS.find((name) => codeFileOf(name, '1.2.3') === s3Key);
  const assetDirectory = (s3Key: string) => join(bundles, nameOf(s3Key) ?? s3Key);
  const provisioned = await provision({ template, assetDirectory }, clients);
  const { endpoints } = clients;
  const functions = new Functions(provisioned, { clients, endpoints });
  onTestFinished(() => functions.close());
  const { TopicArn = '', RefreshTokenSecretArn, ControlFunctionName = '' } = provisioned.outputs;
  const token = { SecretId: RefreshTokenSecretArn, SecretString: service.refreshToken };
  await clients.secretsManager.send(new PutSecretValueCommand(token));
  const subscriber = await subscribe(clients, TopicArn, 'subscriber');
  await functions.poll();
  const { id } = service.world.projects.create({ name: 'Annex' });
  expect(await functions.poll()).toMatchObject({ leaseHeld: false, waiting: 0 });
  expect(await takeEvents(subscriber)).toEqual([`project.created ${id}`]);
  const status = await functions.find(ControlFunctionName)?.invoke({ command: 'status' });
  expect(status).toMatchObject({ shards: 1, totals: { byState: { baseline: 0, waiting: 0 } } });
});
