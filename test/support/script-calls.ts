type Handler = (args: { input: unknown }) => Promise<{ output: object }>;

interface Stack {
  add(
    middleware: (next: Handler, context: { readonly commandName?: string }) => Handler,
    options: { readonly step: 'initialize' },
  ): void;
}

/**
 * Answers in AWS's place what an embedded service cannot be brought to say.
 *
 * @param input the command's input.
 * @param proceed asks the embedded service after all, with this input or another.
 */
export type Answer<Input, Output extends object> = (
  input: Input,
  proceed: (input: Input) => Promise<Output>,
) => Output | Promise<Output>;

/** Lets a test answer all calls of one command of an SDK client, before the SDK's own retries. */
export function scriptCalls<Input, Output extends object>(
  client: { readonly middlewareStack: object },
  commandName: string,
  answer: Answer<Input, Output>,
): void {
  const stack = client.middlewareStack as Stack;
  stack.add(
    (next, context) => async (args) => {
      if (context.commandName !== commandName) return next(args);
      const proceed = async (input: Input): Promise<Output> =>
        (await next({ ...args, input })).output as Output;
      return { output: await answer(args.input as Input, proceed) };
    },
    { step: 'initialize' },
  );
}
