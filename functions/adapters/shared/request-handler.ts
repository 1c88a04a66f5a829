/**
 * Connections of one client, and calls of one page in flight. With fewer, publishing a page takes
 * longer than reading the next page.
 */
export const CONNECTIONS = 100;

/**
 * Limits each of the SDK's three attempts, in milliseconds. By default a call that hangs would
 * block the invocation until Lambda kills it.
 */
export const requestHandler = {
  httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
  connectionTimeout: 2_000,
  /** To the answer's headers. */
  requestTimeout: 5_000,
  /** Without it, the SDK only warns after requestTimeout. */
  throwOnRequestTimeout: true,
  /** Time without a byte: requestTimeout does not cover the answer's body. */
  socketTimeout: 5_000,
};
