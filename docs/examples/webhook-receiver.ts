import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** Receives signed events, and answers 204 once one was handled. Terminate TLS in front of it. */
export function makeWebhookReceiver(
  secret: string,
  handle: (event: unknown) => Promise<void>,
): Server {
  const webhook = new Webhook(secret);
  return createServer((request, response) => {
    const receive = async (): Promise<number> => {
      const body = await text(request);
      try {
        webhook.verify(body, request.headers as Record<string, string>);
      } catch (error) {
        console.error(`Refused: ${(error as Error).message}. Are the secret and the clock right?`);
        return 401;
      }
      await handle(JSON.parse(body));
      return 204;
    };
    receive()
      .catch((error: unknown) => {
        console.error('Failed:', error);
        return 500;
      })
      .then((status) => response.writeHead(status).end())
      .catch(console.error);
  });
}

if (import.meta.main) {
  const { WEBHOOK_SECRET = '', PORT = '8000' } = process.env;
  const handle = (event: unknown): Promise<void> => {
    const { id, type, subject } = event as Record<string, string>;
    console.log(id, type, subject);
    return Promise.resolve();
  };
  // 24 bytes or more, in base64: with an empty key, everybody could sign.
  if (
    !/^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(
      WEBHOOK_SECRET,
    )
  ) {
    console.error('WEBHOOK_SECRET must be the secret of the webhook: whsec_…');
    process.exit(2);
  }
  if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535) {
    console.error(`PORT is ${PORT}; allowed: a number up to 65535.`);
    process.exit(2);
  }
  makeWebhookReceiver(WEBHOOK_SECRET, handle)
    .on('error', ({ message }) => {
      console.error(`Port ${PORT} cannot be used: ${message}. Set PORT to another one.`);
      process.exitCode = 1;
    })
    .listen(Number(PORT), '127.0.0.1', () => {
      console.log(`Listening on port ${PORT}`);
    });
}
