import { createHash, createHmac } from 'node:crypto';

/** A digest that has begun. */
interface Begun {
  update(data: string | Uint8Array): unknown;
  digest(): Buffer;
}

type Secret = string | ArrayBuffer | ArrayBufferView;

/** A digest as the SDK uses one, by Node's own code: the SDK's brings JavaScript for where there is none. */
class Digest {
  readonly #begin: () => Begun;
  #hash: Begun;

  constructor(algorithm: string, secret?: Secret) {
    this.#begin = () =>
      secret === undefined ? createHash(algorithm) : createHmac(algorithm, bytesOf(secret));
    this.#hash = this.#begin();
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {
    this.#hash = this.#begin();
  }
}

/** SHA-256, or its HMAC with a secret: signs requests. */
export class Sha256 extends Digest {
  constructor(secret?: Secret) {
    super('sha256', secret);
  }
}

/** MD5: checks what a queue has taken. */
export class Md5 extends Digest {
  constructor(secret?: Secret) {
    super('md5', secret);
  }
}

function bytesOf(secret: Secret): string | Uint8Array {
  if (typeof secret === 'string') return secret;
  if (ArrayBuffer.isView(secret)) {
    return new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength);
  }
  return new Uint8Array(secret);
}
