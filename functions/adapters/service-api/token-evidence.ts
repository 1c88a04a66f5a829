import type { Sample } from './call.ts';

/** Time for which a token that was refused as soon as it was exchanged counts as not expired. */
const FRESH_MS = 10_000;

/** A request, and the token that it was sent with. */
export interface SentRequest {
  readonly token: string;
  /** Its place among all requests, in the order in which they were sent. */
  readonly order: number;
}

/** What the answers of this process tell of the access token. */
export class TokenEvidence {
  #sentCount = 0;
  #accepted: (SentRequest & { readonly sample: Sample }) | undefined;
  #refused: { readonly token: string; readonly at: number } | undefined;

  /** The place of the next request. */
  nextOrder(): number {
    this.#sentCount += 1;
    return this.#sentCount;
  }

  /** Notes that the service accepted the token of a read. */
  accept({ path, query, isList }: Sample, { token, order }: SentRequest): void {
    if (order < (this.#accepted?.order ?? 0)) return;
    const sample = { path, isList, ...(query && { query }) };
    this.#accepted = { token, order, sample };
  }

  /** Notes that the service refused a token that was just exchanged. */
  refuse(token: string, now: number): void {
    this.#refused = { token, at: now };
  }

  /** Whether the service has accepted a token for any request. */
  isAccepted(token: string): boolean {
    return this.#accepted?.token === token;
  }

  /** Whether the service has accepted the token for a request that was sent later, so that it had not expired. */
  isAcceptedSince({ token, order }: SentRequest): boolean {
    return this.isAccepted(token) && (this.#accepted?.order ?? 0) > order;
  }

  /** Whether a token was refused as soon as it was exchanged, and never accepted: another one would be no better. */
  isFreshlyRefused(token: string, now: number): boolean {
    const { token: refused, at = 0 } = this.#refused ?? {};
    // The clock may have been set back since.
    const isFresh = Math.abs(now - at) < FRESH_MS;
    return refused === token && isFresh && !this.isAccepted(token);
  }

  /** A request with another path that the token was accepted for last. */
  sampleFor(token: string, path: string): Sample | undefined {
    const { sample } = this.isAccepted(token) ? (this.#accepted ?? {}) : {};
    return sample?.path === path ? undefined : sample;
  }
}
