import type { Context, Hono } from 'hono';
import { answerError } from './answer-error.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import type { LambdaFunctions } from './lambda-functions.ts';

const PATH = '/2015-03-31/event-source-mappings';
/** Parameters of UpdateEventSourceMapping that this API takes. */
const CHANGEABLE = new Set(['Enabled', 'UUID']);

/** Adds Lambda's operations ListEventSourceMappings, GetEventSourceMapping and UpdateEventSourceMapping. */
export function addMappingRoutes(app: Hono, functions: () => LambdaFunctions): void {
  const find = (context: Context): EventSourceMapping | undefined =>
    functions().mappings.find(({ definition }) => definition.uuid === context.req.param('uuid'));

  app.get(PATH, (context) => list(context, functions()));
  app.get(`${PATH}/:uuid`, (context) => {
    const mapping = find(context);
    return mapping ? context.json(describe(mapping)) : unknown(context);
  });
  app.put(`${PATH}/:uuid`, async (context) => {
    const mapping = find(context);
    return mapping ? update(context, mapping) : unknown(context);
  });
}

function list(context: Context, functions: LambdaFunctions): Response {
  const { FunctionName: name, EventSourceArn: arn } = context.req.query();
  const found = name === undefined ? undefined : functions.find(name);
  if (name !== undefined && !found) {
    return answerError(context, 404, 'ResourceNotFoundException', `Function not found: ${name}`);
  }
  const EventSourceMappings = functions.mappings
    .filter(({ definition }) => !found || definition.functionArn === found.definition.arn)
    .filter(({ definition }) => arn === undefined || definition.queueArn === arn)
    .map(describe);
  return context.json({ EventSourceMappings });
}

async function update(context: Context, mapping: EventSourceMapping): Promise<Response> {
  const input = (await context.req.json().catch(() => ({}))) as Record<string, unknown>;
  const others = Object.keys(input).filter((name) => !CHANGEABLE.has(name));
  const { Enabled } = input;
  if (others.length > 0 || (Enabled !== undefined && typeof Enabled !== 'boolean')) {
    const problem = `The local stack changes Enabled only, to true or false; the request has ${JSON.stringify(input)}`;
    return answerError(context, 400, 'InvalidParameterValueException', problem);
  }
  if (mapping.state === 'Disabling') {
    const problem = `Cannot update the event source mapping because it is in use: its state is ${mapping.state}.`;
    return answerError(context, 400, 'ResourceInUseException', problem);
  }
  if (Enabled !== undefined && Enabled !== mapping.isEnabled) mapping.setEnabled(Enabled);
  return context.json(describe(mapping), 202);
}

function unknown(context: Context): Response {
  const message = 'The resource you requested does not exist.';
  return answerError(context, 404, 'ResourceNotFoundException', message);
}

/** The mapping as Lambda describes it. */
function describe({ definition, state, modifiedAt }: EventSourceMapping): object {
  const { uuid, arn, functionArn, queueArn, batchSize, maxConcurrency, hasItemFailures } =
    definition;
  return {
    UUID: uuid,
    EventSourceMappingArn: arn,
    EventSourceArn: queueArn,
    FunctionArn: functionArn,
    BatchSize: batchSize,
    MaximumBatchingWindowInSeconds: 0,
    FunctionResponseTypes: hasItemFailures ? ['ReportBatchItemFailures'] : [],
    ...(maxConcurrency !== undefined && {
      ScalingConfig: { MaximumConcurrency: maxConcurrency },
    }),
    State: state,
    StateTransitionReason: 'USER_INITIATED',
    LastModified: modifiedAt / 1000,
  };
}
