/**
 * Replaces the LRU cache of the DynamoDB client in the bundle (`infra/constructs/bundle-function.ts`). It keeps
 * discovered endpoints, of which a function with one table has one at most: nothing needs to leave it.
 */
export default class EndpointCache<V> {
  readonly #endpoints = new Map<string, V>();

  has(key: string): boolean {
    return this.#endpoints.has(key);
  }

  get(key: string): V | undefined {
    return this.#endpoints.get(key);
  }

  peek(key: string): V | undefined {
    return this.#endpoints.get(key);
  }

  set(key: string, value: V): void {
    this.#endpoints.set(key, value);
  }

  clear(): void {
    this.#endpoints.clear();
  }
}
