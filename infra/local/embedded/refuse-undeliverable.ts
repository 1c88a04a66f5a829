import type { buildApp } from 'fauxqs';
import { filterPolicyProblems, type FilterPolicyScope } from '../../config/filter-policy.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './endpoints.ts';

type App = ReturnType<typeof buildApp>;

const QUEUE_ARN = new RegExp(`^arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:([\\w.-]+)$`);

/** A call of SNS: names and values of its form. */
type Input = Readonly<Record<string, string | undefined>>;

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Refuses subscriptions to which the embedded topic would never deliver, and filter policies that the config refuses:
 * those that SNS refuses, or with a condition that no event meets. It would accept them, and their owner would wait
 * for events, or get some that AWS does not deliver.
 */
export function refuseUndeliverable(app: App): void {
  app.addHook('preHandler', async (request, reply) => {
    const problem = await findProblem(app, (request.body ?? {}) as Input);
    if (problem === undefined) return;
    const text = problem.replaceAll(/[&<>]/g, (character) => XML[character] ?? '');
    const error = `<Error><Type>Sender</Type><Code>InvalidParameter</Code><Message>${text}</Message></Error>`;
    await reply
      .code(400)
      .type('text/xml')
      .send(`<ErrorResponse>${error}<RequestId>${request.id}</RequestId></ErrorResponse>`);
  });
}

/** @returns why a call would lead to no delivery, or none that AWS would make. */
async function findProblem(app: App, input: Input): Promise<string | undefined> {
  switch (input['Action']) {
    case 'Subscribe': {
      const attributes = attributesIn(input);
      const scope = attributes.get('FilterPolicyScope');
      return (
        (await endpointProblem(app, input)) ??
        policyProblem(
          attributes.get('FilterPolicy'),
          scope === 'MessageBody' ? [scope] : ['MessageAttributes'],
        )
      );
    }
    case 'SetSubscriptionAttributes':
      if (input['AttributeName'] !== 'FilterPolicy') return undefined;
      // The scope may be set before or after.
      return policyProblem(input['AttributeValue'], ['MessageAttributes', 'MessageBody']);
    default:
      return undefined;
  }
}

/** The attributes of a subscription: `Attributes.entry.1.key` and `….value`. */
function attributesIn(input: Input): ReadonlyMap<string, string | undefined> {
  return new Map(
    Object.entries(input).flatMap(([name, key]) => {
      const [, entry] = /^(Attributes\.entry\.\d+\.)key$/.exec(name) ?? [];
      return entry === undefined || key === undefined ? [] : [[key, input[`${entry}value`]]];
    }),
  );
}

/** @param scopes those in one of which the policy has to make sense. */
function policyProblem(
  policy: string | undefined,
  scopes: readonly FilterPolicyScope[],
): string | undefined {
  // All are no filter.
  if (policy === undefined || policy === '' || /^\{\s*\}$/.test(policy)) return undefined;
  const refuse = (reason: string): string => `Invalid parameter: FilterPolicy: ${reason}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(policy);
  } catch (error) {
    return refuse((error as Error).message);
  }
  const problems = scopes.map((scope) => filterPolicyProblems(parsed, scope)[0]);
  if (problems.includes(undefined)) return undefined;
  const [{ path, allowed } = { path: [], allowed: '' }] = problems;
  return refuse(`${['the policy', ...path].join('.')}; allowed: ${allowed}`);
}

async function endpointProblem(app: App, input: Input): Promise<string | undefined> {
  if (input['Protocol'] !== 'sqs') {
    return 'The embedded topic delivers to SQS queues only. Subscribe a queue, and pass its messages on.';
  }
  const [, queue] = QUEUE_ARN.exec(input['Endpoint'] ?? '') ?? [];
  if (queue !== undefined && (await hasQueue(app, queue))) return undefined;
  return `The endpoint is no queue of the embedded SQS. Create the queue there, and subscribe arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:[name].`;
}

async function hasQueue(app: App, QueueName: string): Promise<boolean> {
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.GetQueueUrl',
    },
    payload: JSON.stringify({ QueueName }),
  });
  return answer.statusCode === 200;
}
