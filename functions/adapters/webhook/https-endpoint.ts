import type { lookup } from 'node:dns';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { WebhookAnswer, WebhookEndpoint, WebhookRequest } from '../../deliver/ports.ts';
import { NoAnswerError, readStart, saidBy } from '../shared/http-exchange.ts';
import { quoteAnswer } from '../shared/quote-answer.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import type { AddressKind } from './address-kind.ts';
import { assertHostAllowed, guardedLookup } from './guarded-lookup.ts';

export interface HttpsEndpointOptions {
  readonly url: string;
  /** Whether the host may have a private address. */
  readonly allowPrivateAddress: boolean;
  /**
   * Whether that includes loopback addresses, with plain http as well. Default false: at Lambda's
   * is its own interface.
   */
  readonly allowLoopback?: boolean;
  /** Maximum time of the whole exchange. Default 15,000. */
  readonly timeoutMs?: number;
  /**
   * A connection that was idle for so long is used no more: the network may have forgotten it.
   * Default 60,000.
   */
  readonly idleMs?: number;
  /** Resolves the host; for tests. */
  readonly resolve?: typeof lookup;
  /** Certificates of authorities that are trusted; by default those of Node.js. */
  readonly ca?: string;
}

const TIMEOUT_MS = 15_000;
const IDLE_MS = 60_000;
/** So much of an answer's body is read; then the connection is cut. */
const MAX_ANSWER_BYTES = 4096;
/** Longest quotation of a reason without an answer: a certificate may have hundreds of names. */
const MAX_REASON_LENGTH = 500;
/** Messages of an invocation that are delivered at the same time. */
const CONNECTIONS = 10;
/** The bundle has the version of package.json. */
export const USER_AGENT = `Sitecast/${process.env['SITECAST_VERSION'] ?? 'dev'}`;

/** A kept connection that the endpoint has closed in the meantime. */
const STALE = new Set(['ECONNRESET', 'EPIPE']);

/** Only these answers may ask for a wait. */
const MAY_ASK_TO_WAIT = new Set([429, 503]);

/**
 * Sends requests to an endpoint that nobody here controls: https with TLS 1.2 at least, to
 * addresses that are allowed, without redirects, for a limited time, with the start of the answer
 * read.
 */
export class HttpsEndpoint implements WebhookEndpoint {
  readonly #url: URL;
  readonly #timeoutMs: number;
  readonly #isAllowed: (kind: AddressKind) => boolean;
  readonly #options: https.RequestOptions;

  constructor({
    url,
    allowPrivateAddress,
    allowLoopback = false,
    timeoutMs = TIMEOUT_MS,
    idleMs = IDLE_MS,
    ...options
  }: HttpsEndpointOptions) {
    this.#url = new URL(url);
    this.#timeoutMs = timeoutMs;
    const isPlain = this.#url.protocol === 'http:';
    this.#isAllowed = (kind) =>
      (kind === 'public' && !isPlain) ||
      (kind === 'loopback' && allowPrivateAddress && allowLoopback) ||
      (kind === 'private' && allowPrivateAddress && !isPlain);
    const agent = { keepAlive: true, maxSockets: CONNECTIONS, timeout: idleMs };
    this.#options = {
      method: 'POST',
      agent: isPlain ? new http.Agent(agent) : new https.Agent(agent),
      lookup: guardedLookup(this.#isAllowed, options.resolve),
      minVersion: 'TLSv1.2',
      ...(options.ca !== undefined && { ca: options.ca }),
    };
  }

  async post(request: WebhookRequest): Promise<WebhookAnswer> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      assertHostAllowed(this.#url.hostname, this.#isAllowed);
      return await this.#exchange(request, signal);
    } catch (error) {
      const [reason = ''] = new NoAnswerError(error).message.split('\n');
      if (!signal.aborted) return { text: `No answer: ${reason}`.slice(0, MAX_REASON_LENGTH) };
      return { text: `No whole answer within ${this.#timeoutMs / 1000} seconds.` };
    }
  }

  /** @param isRepeat whether the first try met a stale connection. */
  async #exchange(
    request: WebhookRequest,
    signal: AbortSignal,
    isRepeat = false,
  ): Promise<WebhookAnswer> {
    const sent = this.#send(request, signal, isRepeat);
    let answer: IncomingMessage;
    try {
      answer = await answerTo(sent);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const isStale = sent.reusedSocket && STALE.has(code) && !isRepeat;
      if (!isStale) throw error;
      return this.#exchange(request, signal, true);
    }
    const { statusCode: status = 0, headers } = answer;
    const start = await readStart(answer, MAX_ANSWER_BYTES);
    const isSuccess = status >= 200 && status < 300;
    const said = saidBy(status, headers.location, start);
    // The body of a success is shown to nobody.
    const text = isSuccess ? '' : quoteAnswer(said);
    const { 'retry-after': retryAfter, date = '' } = headers;
    const mayAsk = MAY_ASK_TO_WAIT.has(status) && retryAfter !== undefined;
    const asked = new Headers(mayAsk ? { 'retry-after': retryAfter, date } : {});
    const retryAfterMs = readRetryAfter({ status, headers: asked }, Date.now());
    return { status, text, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }

  /** @param isAlone by a connection of its own: all that are kept may be stale. */
  #send({ headers, body }: WebhookRequest, signal: AbortSignal, isAlone: boolean): ClientRequest {
    const bytes = Buffer.from(body);
    const all = { ...headers, 'content-length': bytes.length, 'user-agent': USER_AGENT };
    const options = { ...this.#options, signal, headers: all, ...(isAlone && { agent: false }) };
    const { request } = this.#url.protocol === 'http:' ? http : https;
    return request(this.#url, options).end(bytes);
  }
}

/** Resolves with the answer once its headers are there. */
function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
    // Also after an answer 101: nobody listens to another protocol.
    sent.on('close', () => {
      reject(new Error('the connection was closed'));
    });
  });
}
