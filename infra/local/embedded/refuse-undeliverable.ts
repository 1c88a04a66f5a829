import type { buildApp } from 'fauxqs';
import { filterPolicyProblems } from '../../config/filter-policy.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './endpoints.ts';

type App = ReturnType<typeof buildApp>;

const QUEUE_ARN = `arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:`;

/** A call of SNS: names and values of its form. */
type Input = Readonly<Record<string, string | undefined>>;

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Refuses subscriptions to which the embedded topic would never deliver, and filter policies that
 * the config refuses. It would accept them, and their owner would wait for events, or get some that
 * AWS does not deliver.
 */
export function refuseUndeliverable(app: App): void {
  app.addHook('preHandler', async (request, reply) => {
    const input = (request.body ?? {}) as Input;
    if (input['Action'] !== 'Subscribe') return;
    const problem = (await endpointProblem(app, input)) ?? policyProblem(attributesIn(input));
    if (problem === undefined) return;
    const text = problem.replaceAll(/[&<>]/g, (character) => XML[character] ?? '');
    const error = `<Error><Code>InvalidParameter</Code><Message>${text}</Message></Error>`;
    await reply.code(400).type('text/xml').send(`<ErrorResponse>${error}</ErrorResponse>`);
  });
}

/** The attributes of a subscription: `Attributes.entry.1.key` and `….value`. */
function attributesIn(input: Input): Input {
  const entries = Object.entries(input).filter(([name]) => /^Attributes\..*\.key$/.test(name));
  return Object.fromEntries(
    entries.map(([name, key = '']) => [key, input[name.replace(/key$/, 'value')]]),
  );
}

function policyProblem({ FilterPolicy, FilterPolicyScope }: Input): string | undefined {
  // All are no filter.
  if (FilterPolicy === undefined || /^(\{\s*\})?$/.test(FilterPolicy)) return undefined;
  const scope = FilterPolicyScope === 'MessageBody' ? FilterPolicyScope : 'MessageAttributes';
  const refuse = (reason: string): string => `Invalid parameter: FilterPolicy: ${reason}`;
  try {
    const [problem] = filterPolicyProblems(JSON.parse(FilterPolicy), scope);
    return (
      problem && refuse(`${['the policy', ...problem.path].join('.')}; allowed: ${problem.allowed}`)
    );
  } catch (error) {
    return refuse((error as Error).message);
  }
}

async function endpointProblem(
  app: App,
  { Protocol, Endpoint = '' }: Input,
): Promise<string | undefined> {
  const queue = Endpoint.slice(QUEUE_ARN.length);
  const isLocal = Protocol === 'sqs' && Endpoint.startsWith(QUEUE_ARN);
  if (isLocal && (await hasQueue(app, queue))) return undefined;
  return `The embedded topic delivers to its own SQS queues only. Create a queue there, and subscribe ${QUEUE_ARN}[name].`;
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
