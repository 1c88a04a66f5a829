/** An intercepted call of a port's method. */
export interface Call {
  readonly name: string;
  readonly parameters: readonly unknown[];
  /** Makes the call. */
  readonly proceed: () => unknown;
}

/** A port whose calls go through a handler, which may record, delay, replace or fail them. */
export function intercept<Port extends object>(port: Port, handle: (call: Call) => unknown): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...parameters: unknown[]): unknown =>
        handle({
          name: String(name),
          parameters,
          proceed: () => Reflect.apply(method, target, parameters) as unknown,
        });
    },
  });
}

/** A port of which one method is replaced. */
export function replaceCall<Port extends object>(
  port: Port,
  method: keyof Port,
  replacement: (call: Call) => unknown,
): Port {
  return intercept(port, (call) => (call.name === method ? replacement(call) : call.proceed()));
}

/** A port that records the names of its calls. */
export function recordCalls<Port extends object>(port: Port, calls: string[]): Port {
  return intercept(port, ({ name, proceed }) => {
    calls.push(name);
    return proceed();
  });
}
