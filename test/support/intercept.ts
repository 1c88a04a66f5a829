/** A call of a port's method, on its way. */
export interface Call {
  readonly name: string;
  readonly parameters: readonly unknown[];
  /** Makes the call. */
  readonly proceed: () => unknown;
}

/** A port whose every call goes through a hand: it may note, delay, replace or fail it. */
export function intercept<Port extends object>(port: Port, hand: (call: Call) => unknown): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...parameters: unknown[]): unknown =>
        hand({
          name: String(name),
          parameters,
          proceed: () => Reflect.apply(method, target, parameters) as unknown,
        });
    },
  });
}
