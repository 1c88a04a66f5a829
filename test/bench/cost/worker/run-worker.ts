import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DEFAULTS } from '../../fixture/defaults.ts';
import { TABLE_NAME } from '../../fixture/table.ts';
import { TOPIC_ARN } from '../../fixture/topic.ts';

/** What the service has that the poller has not read yet. */
export interface Backlog {
  /** Projects of the account, each with two lists. */
  readonly projects: number;
  /** Lists in which everything has changed, in as many of the projects. */
  readonly lists: number;
  /** Entities in each of them, of 425 bytes and {@link extraBytes}. */
  readonly entities: number;
  readonly extraBytes: number;
  /** Entities of 60 bytes that each of them shows at once instead, however many are requested. */
  readonly tinyEntities?: number;
}

/** What one run of the handler took. */
export interface WorkerRun {
  readonly cpuMs: number;
  readonly polled: number;
  /** Largest resident set of the process until then, in MB. */
  readonly peakMb: number;
}

/** What service and AWS have seen of all runs together. */
export interface Counts {
  readonly requests: number;
  /** Bytes of the requests to the service, before TLS, with a token of 600 characters. */
  readonly requestBytes: number;
  readonly awsCalls: number;
  readonly events: number;
}

/** What the runs are told. */
export interface WorkerOptions {
  readonly runs: number;
  readonly memoryMb?: number;
  readonly concurrency?: number;
  readonly requestsPerMinute?: number;
}

/** See {@link runWorker}. */
export interface WorkerResult extends Counts {
  readonly runs: readonly WorkerRun[];
  /** Bytes of standard output: log entries and metrics of all runs. */
  readonly logBytes: number;
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** A run that has no time to wait for its budget's next minute. */
const REMAINING_MS = 600_000;

/**
 * Runs the handler that ships in a process of its own, with nothing simulated in it: real HTTP, the real
 * SDK, real logs, and as small a heap as V8 would take by itself on a machine of that memory, which is
 * half of it. Service and AWS are in another process.
 */
export async function runWorker(backlog: Backlog, options: WorkerOptions): Promise<WorkerResult> {
  const { memoryMb = DEFAULTS.memoryMb } = options;
  const surroundings = fork(here('surroundings.ts'), [JSON.stringify(backlog)], {
    execArgv: ['--max-old-space-size=4096'],
  });
  try {
    const [port] = (await once(surroundings, 'message')) as [number];
    const worker = fork(here('worker.ts'), [JSON.stringify([options.runs, REMAINING_MS])], {
      execArgv: [`--max-old-space-size=${memoryMb / 2}`],
      env: environment(`http://127.0.0.1:${port}`, options),
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let logBytes = 0;
    worker.stdout?.on('data', (chunk: Buffer) => (logBytes += chunk.length));
    const runs = await resultsOf(worker);
    const counted = once(surroundings, 'message') as Promise<[Counts]>;
    surroundings.send('counts');
    return { runs, logBytes, ...(await counted)[0] };
  } finally {
    surroundings.disconnect();
  }
}

/** @throws Error when the worker dies, as it does without enough memory. */
async function resultsOf(worker: ChildProcess): Promise<WorkerRun[]> {
  const runs: WorkerRun[] = [];
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerRun | 'done') => {
      if (message !== 'done') runs.push(message);
    });
    worker.on('close', (code, signal) => {
      if (code === 0) resolve(runs);
      else reject(new Error(`the poller ended with ${code ?? signal}`));
    });
  });
}

/** As the stack sets it, as far as it matters here. */
function environment(address: string, options: WorkerOptions): NodeJS.ProcessEnv {
  const {
    memoryMb = DEFAULTS.memoryMb,
    concurrency = DEFAULTS.concurrency,
    requestsPerMinute = DEFAULTS.requestsPerMinute,
  } = options;
  return {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'key',
    AWS_ENDPOINT_URL: address,
    // Set by the tests, which need no figures.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    AWS_LAMBDA_FUNCTION_NAME: 'poller',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    NODE_OPTIONS: `--enable-source-maps --max-semi-space-size=${Math.floor(memoryMb / 128)}`,
    POWERTOOLS_SERVICE_NAME: 'sitecast-production',
    POWERTOOLS_METRICS_NAMESPACE: 'Sitecast',
    POWERTOOLS_LOG_LEVEL: DEFAULTS.logLevel,
    SITECAST_CONFIG: JSON.stringify({
      baseUrl: address,
      authUrl: address,
      requestsPerMinute,
      concurrency,
    }),
    SITECAST_REFRESH_TOKEN_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:token',
    SITECAST_TABLE: TABLE_NAME,
    SITECAST_TOPIC_ARN: TOPIC_ARN,
    SITECAST_LARGE_EVENTS_BUCKET: 'large-events',
  };
}
