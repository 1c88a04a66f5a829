import { expect, it } from 'vitest';
import { LOCAL_REGION } from '../../../../infra/local/embedded/endpoints.ts';
import { TASKS } from '../../../../infra/local/stack/additional-lists.ts';
import type { LocalStack } from '../../../../infra/local/stack/local-stack.ts';
import { formatWelcome } from '../../../../infra/local/terminal/format-welcome.ts';
import { parseOptions } from '../../../../infra/local/terminal/parse-options.ts';

function welcome(
  ports: readonly number[],
  additionalResources: readonly object[],
  args = '',
  config = {},
) {
  const [service, dynamodb, sns, secretsManager] = ports.map((port) => `http://127.0.0.1:${port}`);
  const stack = {
    endpoints: { dynamodb, sns, secretsManager },
    ...{ baseUrl: service, authUrl: service, topicArn: `arn:${LOCAL_REGION}` },
    service: { adminUrl: `${service}/admin` },
    ...{ schedules: [{ everySeconds: 60 }], declaredSubscribers: [], webhooks: [] },
  } as unknown as LocalStack;
  const options = parseOptions(args === '' ? [] : args.split(' '));
  const stage = { name: 'prod', config: { additionalResources, ...config } };
  return formatWelcome(stack, { ...options, stage }, 'token');
}

it.each([
  [[4010, 4011, 4012, 4013], undefined],
  [[4010, 4011, 5012, 4013], 'Port 4012 is taken, perhaps by another npm start: another is used.'],
  [[5010, 4011, 5012, 4013], 'Ports 4010, 4012 are taken, perhaps by another npm start'],
])('names the usual ports that are taken: %j', (ports, expected) => {
  const text = welcome(ports, []);
  if (expected === undefined) expect(text).not.toContain('taken');
  else expect(text).toContain(expected);
});

it('says which lists of a stage the simulated service lacks', () => {
  const ports = [4010, 4011, 4012, 4013];
  const lacking = 'The simulated service answers 404 for the additionalResources of the stage.';
  expect(welcome(ports, [])).not.toContain(lacking);
  expect(welcome(ports, [TASKS])).toContain(`${lacking} --additional adds "tasks".`);
  expect(welcome(ports, [TASKS], '--additional')).not.toContain(lacking);
  expect(welcome(ports, [{ path: '/projects/{project_id}/rfis' }])).toContain(`${lacking}\n`);
});

it('says how often lists are polled', () => {
  const ports = [4010, 4011, 4012, 4013];
  expect(welcome(ports, [])).toContain('every 5 s (deployed: every 60 s)');
  expect(welcome(ports, [], '', { pollEverySeconds: 10 })).toContain(
    'run after run, each with a sweep every 10 s (deployed: every 60 s)',
  );
});
