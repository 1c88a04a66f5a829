import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Endpoints } from '../../../infra/local/embedded/endpoints.ts';
import { startListening, type LocalServer } from '../../../infra/local/embedded/http-server.ts';
import { passOn } from '../pass-on.ts';

/** One call of an AWS API, as the client meant it. */
export interface AwsCall {
  readonly service: keyof Endpoints;
  /** Name in the API: `PublishBatch`. */
  readonly operation: string;
  /** Its parameters, by their names in the API. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Proxies in front of the embedded services. */
export interface CallRecorder {
  /** Where the proxies listen. */
  readonly endpoints: Endpoints;
  /**
   * Every call so far, answered or not, in the order in which they came.
   *
   * @throws TypeError for one in a protocol that the recorder does not know.
   */
  calls(): AwsCall[];
  close(): Promise<void>;
}

/** A request as it came. */
interface Recording {
  readonly service: keyof Endpoints;
  readonly method: string;
  /** Path and query: of S3, bucket and key. */
  readonly url: string;
  /** AWS's JSON protocol names the operation in this header, its query protocol in the body. */
  readonly target: string | undefined;
  readonly body: string;
}

/** Starts a proxy in front of each service that notes every request and passes it on unchanged. */
export async function recordCalls(services: Endpoints): Promise<CallRecorder> {
  const recordings: Recording[] = [];
  const proxies: LocalServer[] = [];
  const startProxy = async (service: keyof Endpoints): Promise<string> => {
    const proxy = createServer((incoming, response) => {
      void buffer(incoming).then((body) => {
        const target = incoming.headers['x-amz-target']?.toString();
        const { method = 'GET', url = '/' } = incoming;
        recordings.push({ service, method, url, target, body: body.toString() });
        passOn(services[service] ?? '', incoming, body, response);
      });
    });
    const server = await startListening(proxy);
    proxies.push(server);
    return server.url;
  };
  return {
    endpoints: {
      dynamodb: await startProxy('dynamodb'),
      s3: await startProxy('s3'),
      sns: await startProxy('sns'),
      sqs: await startProxy('sqs'),
      secretsManager: await startProxy('secretsManager'),
      ...(services.lambda !== undefined && { lambda: await startProxy('lambda') }),
    },
    calls: () => recordings.map(callIn),
    close: async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}

function callIn({ service, method, url, target, body }: Recording): AwsCall {
  if (service === 's3') return callOfS3(method, url);
  if (service === 'lambda') return callOfMappings(method, url);
  if (target !== undefined) {
    const operation = target.slice(target.lastIndexOf('.') + 1);
    return { service, operation, input: JSON.parse(body) as Record<string, unknown> };
  }
  const { Action, ...input } = Object.fromEntries(new URLSearchParams(body));
  if (Action !== undefined) return { service, operation: Action, input };
  throw new TypeError(`${service} got a call whose protocol the recorder does not know`);
}

/** S3's protocol names bucket and key in the path, and the operation by the method. */
function callOfS3(method: string, url: string): AwsCall {
  const { pathname } = new URL(url, 'http://s3');
  const [, Bucket, ...key] = pathname.split('/');
  const operation = { PUT: 'PutObject', GET: 'GetObject' }[method];
  if (operation === undefined || key.length === 0) {
    throw new TypeError(`S3 got a call that the recorder does not know: ${method} ${url}`);
  }
  return { service: 's3', operation, input: { Bucket, Key: key.join('/') } };
}

/** Lambda's protocol names the mapping in the path: one is updated, or all are listed. */
function callOfMappings(method: string, url: string): AwsCall {
  const { pathname, searchParams } = new URL(url, 'http://lambda');
  const [, UUID] = /^\/2015-03-31\/event-source-mappings\/([^/]+)$/.exec(pathname) ?? [];
  if (method === 'PUT' && UUID !== undefined) {
    return { service: 'lambda', operation: 'UpdateEventSourceMapping', input: { UUID } };
  }
  if (method === 'GET' && /\/event-source-mappings\/?$/.test(pathname)) {
    const input = Object.fromEntries(searchParams);
    return { service: 'lambda', operation: 'ListEventSourceMappings', input };
  }
  throw new TypeError(`Lambda got a call that the recorder does not know: ${method} ${url}`);
}
