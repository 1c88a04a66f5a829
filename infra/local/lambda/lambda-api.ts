import { Hono, type Context } from 'hono';
import { serveApp, type LocalServer } from '../embedded/http-server.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import { FunctionError, type LambdaFunction } from './lambda-function.ts';

/** The functions and mappings that are deployed. */
export interface Deployed {
  find(nameOrArn: string): Pick<LambdaFunction, 'invoke' | 'definition'> | undefined;
  readonly mappings: readonly EventSourceMapping[];
}

const MAPPINGS = '/2015-03-31/event-source-mappings';

/**
 * Serves Lambda's Invoke, ListEventSourceMappings and UpdateEventSourceMapping on loopback, so that
 * clients of the SDK reach local functions.
 *
 * @param deployed the functions deployed now.
 */
export function startLambdaApi(deployed: () => Deployed): Promise<LocalServer> {
  // Clients send the paths of lists with a slash at their end, or without.
  const app = new Hono({ strict: false });
  app.post('/2015-03-31/functions/:name/invocations', async (context) => {
    const found = deployed().find(context.req.param('name'));
    if (found === undefined) return answerMissing(context);
    const event: unknown = JSON.parse((await context.req.text()) || '{}');
    try {
      return context.json((await found.invoke(event)) ?? null);
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      return context.json(error.payload, 200, { 'x-amz-function-error': 'Unhandled' });
    }
  });
  app.get(MAPPINGS, (context) => {
    const { FunctionName = '' } = context.req.query();
    const arn = deployed().find(FunctionName)?.definition.arn;
    const found = deployed().mappings.filter(({ definition }) => definition.functionArn === arn);
    return context.json({ EventSourceMappings: found.map(describeMapping) });
  });
  app.put(`${MAPPINGS}/:uuid`, async (context) => {
    const { uuid } = context.req.param();
    const mapping = deployed().mappings.find(({ definition }) => definition.uuid === uuid);
    if (mapping === undefined) return answerMissing(context);
    const { Enabled } = await context.req.json<{ readonly Enabled: boolean }>();
    mapping.setEnabled(Enabled);
    return context.json(describeMapping(mapping), 202);
  });
  app.notFound(answerMissing);
  return serveApp(app);
}

function answerMissing(context: Context): Response {
  const Message = `Not found: ${context.req.method} ${context.req.path}`;
  const headers = { 'x-amzn-errortype': 'ResourceNotFoundException' };
  return context.json({ Type: 'User', Message }, 404, headers);
}

function describeMapping({ definition, state }: EventSourceMapping): object {
  const { uuid, functionArn, queueArn, batchSize } = definition;
  return {
    UUID: uuid,
    EventSourceArn: queueArn,
    FunctionArn: functionArn,
    BatchSize: batchSize,
    State: state,
  };
}
