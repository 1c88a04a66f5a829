import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import selfsigned from 'selfsigned';
import { expect, it, onTestFinished } from 'vitest';
import { makeTemporaryFolder } from '../../../infra/local/stack/temporary-folder.ts';

/** A name that only the proxy can resolve. */
const HOST = 'service.internal';

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy that leads to the given port, and the addresses that it was asked for. */
async function startProxy(port: number) {
  const asked: string[] = [];
  const proxy = createHttpServer();
  proxy.on('connect', ({ url = '' }, client) => {
    asked.push(url);
    const service = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      service.pipe(client).pipe(service);
    });
    for (const socket of [client, service]) socket.on('error', () => socket.destroy());
  });
  return { asked, url: `http://127.0.0.1:${await listen(proxy)}` };
}

it('The service is called through the proxy, and trusted by the CA bundle; AWS is called directly', async () => {
  const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: HOST }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: HOST }] }],
  });
  const service = createTlsServer({ key, cert }, (_, response) => response.end('[]'));
  const port = await listen(service);
  const { asked, url: proxyUrl } = await startProxy(port);
  const folder = await makeTemporaryFolder();
  onTestFinished(() => rm(folder, { recursive: true }));
  const certificates = join(folder, 'ca.pem');
  await writeFile(certificates, cert);
  // The script calls as the poller does: the service by fetch, AWS by the SDK's clients.
  const script = `
    import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
    import { S3ClaimCheck } from './functions/adapters/s3/claim-check.ts';
    import { requestHandler } from './functions/adapters/shared/request-handler.ts';
    const answer = await fetch('https://${HOST}:${port}/api/v3/projects');
    console.log(answer.status, await answer.text());
    const sqs = new SQSClient({ requestHandler });
    const direct = [
      () => new S3ClaimCheck({ bucket: 'bucket' }).put('1', '{}'),
      () => sqs.send(new GetQueueUrlCommand({ QueueName: 'q' })),
    ];
    await Promise.allSettled(direct.map((call) => call()));
    process.exit(0);
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    {
      cwd: join(import.meta.dirname, '../../..'),
      env: {
        NODE_USE_ENV_PROXY: '1',
        HTTPS_PROXY: proxyUrl,
        NODE_EXTRA_CA_CERTS: certificates,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'none',
        AWS_SECRET_ACCESS_KEY: 'none',
        AWS_MAX_ATTEMPTS: '1',
      },
    },
  );
  expect(stdout).toBe('200 []\n');
  expect(asked).toEqual([`${HOST}:${port}`]);
});
