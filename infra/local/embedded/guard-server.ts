import type { IncomingMessage, RequestListener, Server } from 'node:http';

/** The host names that nobody but this machine has, with any port. */
const OWN_HOST = /^(127\.0\.0\.1|([\w-]+\.)*localhost)(:\d+)?$/i;
/** `Sec-Fetch-Site` of a server's own page, and of an address that a person typed. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Makes a server answer 403 to the requests of other sites' pages: those for a host name that leads
 * here (DNS rebinding), and those from another origin. No page can change these headers.
 */
export function guardServer(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const message = refusalOf(request);
    if (message === undefined) {
      for (const listener of listeners) listener.call(server, request, response);
    } else {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message }));
    }
  });
}

function refusalOf({ headers }: IncomingMessage): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!OWN_HOST.test(host)) {
    return `Request refused: the host is "${host}"; allowed: 127.0.0.1, localhost`;
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return `Request refused: the origin is "${origin}"; allowed: http://${host}`;
  }
  if (typeof site === 'string' && !OWN_SITES.includes(site)) {
    return 'Request refused: another site has made it';
  }
  return undefined;
}
