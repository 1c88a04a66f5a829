import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, it, onTestFinished } from 'vitest';
import { makeClients } from '../../../../infra/local/embedded/clients.ts';
import { startEmbeddedServices } from '../../../../infra/local/embedded/embedded-services.ts';
import type { Endpoints } from '../../../../infra/local/embedded/endpoints.ts';
import { startLambdaApi } from '../../../../infra/local/lambda/lambda-api.ts';
import { Functions } from '../../../../infra/local/stack/functions.ts';
import { provision } from '../../../../infra/local/stack/provision.ts';
import type { Template } from '../../../../infra/local/stack/resolve-template.ts';
import { json, serve, type Answering } from '../../../support/local-server.ts';

/** Posts each batch, and disables its own mapping if the answer says so. */
const HANDLER = `export const handler = async ({ Records }) => {
  const { TARGET, AWS_ENDPOINT_URL_LAMBDA: lambda, AWS_LAMBDA_FUNCTION_NAME: name } = process.env;
  const body = JSON.stringify(Records.map(({ body }) => body));
  const answer = await (await fetch(TARGET, { method: 'POST', body })).json();
  if (!answer.gone) return answer;
  const path = lambda + '/2015-03-31/event-source-mappings/';
  const { EventSourceMappings } = await (await fetch(path + '?FunctionName=' + name)).json();
  const update = { method: 'PUT', body: JSON.stringify({ Enabled: false }) };
  await fetch(path + EventSourceMappings[0].UUID, update);
};`;

const template = (target: string): Template => ({
  Resources: {
    Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 1 } },
    Work: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Key: 'code' },
        Handler: 'index.handler',
        Environment: { Variables: { TARGET: target } },
        LoggingConfig: { LogGroup: 'logs' },
        ...{ MemorySize: 128, Timeout: 3 },
      },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
        FunctionName: { Ref: 'Work' },
        BatchSize: 10,
      },
    },
    Tick: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: 'rate(1 hour)',
        Target: { Arn: { 'Fn::GetAtt': ['Work', 'Arn'] } },
      },
    },
  },
});

/** The functions of a template with a queue, whose messages reach a server by way of a function. */
async function setUp(answer: Answering) {
  const { url, received } = await serve(answer);
  const services = await startEmbeddedServices();
  const clients = makeClients(services.endpoints);
  const directory = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  await writeFile(join(directory, 'index.mjs'), HANDLER);
  const deploy = async (existing?: Awaited<ReturnType<typeof provision>>) =>
    provision(
      { template: template(url), assetDirectory: () => directory },
      clients,
      existing?.resources,
    );
  const provisioned = await deploy();
  let functions: Functions;
  const lambda = await startLambdaApi(() => functions);
  const logs: string[] = [];
  const options = {
    endpoints: { ...services.endpoints, lambda: lambda.url } satisfies Endpoints,
    clients,
    onLog: (line: string) => logs.push(line),
  };
  functions = new Functions(provisioned, options);
  onTestFinished(async () => {
    await functions.close();
    await lambda.close();
    clients.destroy();
    await services.close();
    await rm(directory, { recursive: true });
  });
  return {
    functions: () => functions,
    redeploy: async () => {
      const deployed = await deploy(provisioned);
      await functions.retire();
      functions = new Functions(deployed, options, functions);
    },
    send: (MessageBody: string) =>
      clients.sqs.send(
        new SendMessageCommand({ QueueUrl: provisioned.resources.get('Queue')?.ref, MessageBody }),
      ),
    bodies: () => received.flatMap(({ body }) => JSON.parse(body) as string[]),
    logs,
  };
}

it('hands messages to the process of the function, and loses none when it is killed', async () => {
  let isHanging = true;
  const { functions, send, bodies, logs } = await setUp((response) => {
    if (!isHanging) json(response, 200, {});
  });
  await send('one');
  await expect.poll(() => bodies(), { timeout: 10_000 }).toEqual(['one']);
  isHanging = false;
  await functions().kill();
  await expect.poll(() => bodies(), { timeout: 10_000 }).toEqual(['one', 'one']);
  expect(logs.join()).toContain('A batch of 1 messages failed, and follows later');
  expect(logs.join()).toContain('Runtime.ExitError');
});

it('lets a function disable its own mapping, also beyond a deployment, until it is enabled', async () => {
  let isGone = true;
  const { functions, redeploy, send, bodies } = await setUp((response) =>
    json(response, 200, { gone: isGone }),
  );
  const state = () => functions().mappings[0]?.state;
  await send('one');
  await expect.poll(() => state(), { timeout: 10_000 }).toBe('Disabled');
  await redeploy();
  expect(state()).toBe('Disabled');
  await send('two');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(bodies()).toEqual(['one']);
  isGone = false;
  functions().mappings[0]?.setEnabled(true);
  await expect.poll(() => bodies(), { timeout: 10_000 }).toEqual(['one', 'two']);
  await redeploy();
  await send('three');
  await expect.poll(() => bodies(), { timeout: 10_000 }).toEqual(['one', 'two', 'three']);
});
