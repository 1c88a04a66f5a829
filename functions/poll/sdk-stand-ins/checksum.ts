import { createHash, createHmac, type BinaryLike } from 'node:crypto';

/** A digest that has begun. */
interface Begun {
  update(data: BinaryLike): unknown;
  digest(): Buffer;
}

/**
 * A digest as the SDK uses one, by Node's own code: the SDK's brings JavaScript for where there is none.
 * The bundler puts this in its place, see `infra/constructs/bundling.ts`.
 */
function digestBy(algorithm: string) {
  return class {
    readonly #begin: () => Begun;
    #begun: Begun;

    /** @param secret for an HMAC. */
    constructor(secret?: BinaryLike | ArrayBuffer) {
      this.#begin = () =>
        secret === undefined
          ? createHash(algorithm)
          : createHmac(algorithm, secret instanceof ArrayBuffer ? Buffer.from(secret) : secret);
      this.#begun = this.#begin();
    }

    update(data: BinaryLike): void {
      this.#begun.update(data);
    }

    async digest(): Promise<Uint8Array> {
      return Promise.resolve(new Uint8Array(this.#begun.digest()));
    }

    reset(): void {
      this.#begun = this.#begin();
    }
  };
}

/** Signs requests. */
export const Sha256 = digestBy('sha256');

/** Checks what a queue has taken. */
export const Md5 = digestBy('md5');
