/** A message as SQS gives it to a pipe. */
export interface PipeMessage {
  readonly body: string;
  readonly [field: string]: unknown;
}

/** The definition of a pipe to a bus, as far as it decides what is put there. */
export interface PipeDefinition {
  readonly TargetParameters: {
    readonly InputTemplate: string;
    readonly EventBridgeEventBusParameters: {
      readonly Source: string;
      readonly DetailType: string;
    };
  };
}

/**
 * What a pipe puts on the bus for a message, by the rules of EventBridge's guide ("input
 * transformation", "dynamic path parameters"): a body of JSON can be entered by paths. `<$.path>`
 * in a template is replaced: by JSON, or within quotes by text. A parameter may be a path as a
 * whole, and reads the message, not what the template made of it.
 */
export function runPipe({ TargetParameters }: PipeDefinition, message: PipeMessage) {
  const { InputTemplate, EventBridgeEventBusParameters } = TargetParameters;
  const parameter = (text: string): string =>
    text.startsWith('$.') ? String(valueAt(message, text)) : text;
  const detail = InputTemplate.replaceAll(
    /("?)<(\$[^>]*)>("?)/g,
    (_, before: string, path: string, after: string) => {
      const value = valueAt(message, path);
      if (before === '') return JSON.stringify(value) + after;
      return JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value));
    },
  );
  return {
    Source: parameter(EventBridgeEventBusParameters.Source),
    DetailType: parameter(EventBridgeEventBusParameters.DetailType),
    Detail: detail,
  };
}

/** @throws Error for a path that leads nowhere: EventBridge leaves it out, which no test wants. */
function valueAt(message: PipeMessage, path: string): unknown {
  const readable: unknown = { ...message, body: JSON.parse(message.body) as unknown };
  const [, ...names] = path.split('.');
  return names.reduce((value, name) => {
    const found = (value as Readonly<Record<string, unknown>>)[name];
    if (found === undefined) throw new Error(`The message has no ${path}`);
    return found;
  }, readable);
}
