import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startLocalStack, type LocalStack } from '../../../../infra/local/stack/local-stack.ts';

describe('the synthesized stack on embedded services', () => {
  let stack: LocalStack;

  beforeAll(async () => {
    stack = await startLocalStack({ emptySecret: true, config: { everyMinutes: 3 } });
  });

  afterAll(() => stack.close());

  it('ticks at the rate of the template', () => {
    expect(stack.schedules).toMatchObject([{ everySeconds: 180 }]);
  });

  it('starts with an empty secret, for which the poller waits without failing', async () => {
    const reading = stack.clients.secretsManager.send(
      new GetSecretValueCommand({ SecretId: stack.secretArn }),
    );
    await expect(reading).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    expect(await stack.invoke()).toMatchObject({ token: 'missing', pages: 0 });
    await stack.putRefreshToken(stack.service?.refreshToken ?? '');
    expect(await stack.invoke()).toMatchObject({ leaseHeld: false, waiting: 0 });
  });
});

describe('a stack that shows all', () => {
  it('delivers large events, sheets and additional lists, by the filters of declared subscribers', async () => {
    const forms = { name: 'forms', entity: 'form', path: '/projects/{project_id}/forms' };
    const planning = {
      ...{ name: 'planning', protocol: 'lambda' },
      endpoint: 'arn:aws:lambda:us-east-1:123456789012:function:planning',
      filterPolicy: { entity: ['form'] },
    };
    const stack = await startLocalStack({
      stage: 'prod',
      config: {
        ...{ withCurrentSheet: true, resources: ['floorplans'] },
        ...{ additionalResources: [forms], subscribers: [planning] },
      },
      service: { size: { projects: 1, shortProjects: 0 } },
    });
    onTestFinished(() => stack.close());
    const subscriber = await stack.subscribe();
    await stack.invoke();
    const { world } = stack.service ?? {};
    const [project] = world?.projects.all() ?? [];
    const [floorplan] = world?.floorplans.list(project?.id ?? '').all() ?? [];
    if (!world || !project || !floorplan) throw new Error('the world is empty');
    world.checklists.create(project.id, { name: 'Daily report' });
    world.floorplans.list(project.id).update(floorplan.id, { description: 'x'.repeat(270_000) });
    world.floorplans.uploadSheet(project.id, floorplan.id);
    await stack.invoke();

    const events = (await subscriber.drain()).map(
      ({ message }) => JSON.parse(message) as { type: string; dataref?: string },
    );
    expect(events.map(({ type }) => type).sort()).toEqual([
      'floorplan.updated',
      'form.created',
      'sheet.created',
    ]);
    expect(events.find(({ type }) => type === 'floorplan.updated')?.dataref).toMatch(/^s3:/);
    const [declared] = stack.declaredSubscribers;
    expect(declared).toMatchObject({ name: 'planning', protocol: 'lambda' });
    expect((await declared?.drain())?.map(({ message }) => message)).toEqual([
      expect.stringContaining('form.created'),
    ]);
  });
});

describe('startLocalStack', () => {
  it('passes the config through the checks of a deployment', async () => {
    await expect(startLocalStack({ config: { perPage: 5000 } })).rejects.toMatchObject({
      name: 'ConfigInvalidError',
      message: expect.stringContaining(
        'notifier.local.perPage is 5000; allowed: a whole number of entities from 1 to 1000',
      ) as string,
    });
  });

  it('names the stage of an invalid config', async () => {
    await expect(startLocalStack({ stage: 'prod', config: { perPage: 5000 } })).rejects.toThrow(
      'notifier.prod.perPage is 5000',
    );
  });

  it('stops starting when it is aborted', async () => {
    const stop = new AbortController();
    const starting = startLocalStack({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(starting).rejects.toThrow('enough');
  });
});
