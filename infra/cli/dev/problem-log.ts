import { asTyped } from '../report.ts';

const VISIBLE_LEVELS = new Set(['WARN', 'ERROR', 'CRITICAL']);
/** Fields of a log entry that are of no use on a laptop. */
const HIDDEN_FIELDS = /^(level|message|timestamp|service|cold_start|function_|sampling_rate|xray_)/;
/** Ids and numbers, in which entries about the same problem differ. */
const VARIABLE_PARTS = /[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g;

const CORRECT_TOKEN = 'Correct --token-file or --auth, and start again.';

/** An error as a function logs it. */
interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Reads the lines that the functions write, and shows each problem once: not again for each list
 * and run that it affects.
 */
export class ProblemLog {
  readonly #isVerbose: boolean;
  readonly #service: string;
  readonly #shown = new Set<string>();
  #runError: LoggedError | undefined;
  /** The text of the last error, shown or not. */
  lastError: string | undefined;
  #lastFailure = '';

  /**
   * @param isVerbose shows all lines as they are.
   * @param isSimulated the service has no flag with its address.
   */
  constructor(isVerbose: boolean, isSimulated = false) {
    this.#isVerbose = isVerbose;
    this.#service = isSimulated ? 'the simulated service' : '--service';
  }

  /**
   * Formats a line. Returns undefined for metrics, log entries below a warning, and problems that
   * were shown. Lines that are not JSON are returned: Node.js writes them about crashes.
   */
  read(line: string): string | undefined {
    const entry = parseEntry(line);
    const error = readError(entry?.['error'], this.#service);
    const isRunError = entry?.['message'] === 'Run failed' && error !== undefined;
    if (isRunError) this.#runError = error;
    this.lastError = error?.message ?? this.lastError;
    if (this.#isVerbose) return line;
    if (!entry) return line.trim() === '' ? undefined : line;
    const { level, message } = entry as Readonly<Record<'level' | 'message', string>>;
    if (!VISIBLE_LEVELS.has(level) || isRunError) return undefined;
    const key = [level, message, error?.name, error?.message].join(' ');
    const generalKey = key.replaceAll(VARIABLE_PARTS, '*');
    if (this.#shown.has(generalKey)) return undefined;
    this.#shown.add(generalKey);
    const fields = Object.entries(entry).filter(([name]) => !HIDDEN_FIELDS.test(name));
    const texts = fields.map(([name, value]) => `${name}=${this.#formatValue(value)}`);
    return [`${level} ${message}`, ...texts].join('  ');
  }

  /** Says why a run failed, with its hint; in short if the one before said so, too. */
  describeFailure(error: Error): string {
    const failure = `failed: ${describe(this.#runError ?? error)}`;
    this.#runError = undefined;
    if (failure === this.#lastFailure) return 'failed as the run before';
    this.#lastFailure = failure;
    return failure;
  }

  #formatValue(value: unknown): string {
    const error = readError(value, this.#service);
    if (error !== undefined) return `${error.name}: ${describe(error)}`;
    // A hint whose last words are a command, as that is typed beside `npm start`.
    return typeof value === 'string'
      ? JSON.stringify(asTyped(value.replace(/\bsitecast [a-z].*$/, '$& --local')))
      : JSON.stringify(value);
  }
}

/** Reads an error, with flags of this machine in place of config fields and secrets. */
function readError(value: unknown, service: string): LoggedError | undefined {
  const { name, message, hint } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof message !== 'string') return undefined;
  const given = name === 'RefreshTokenRejectedError' ? CORRECT_TOKEN : hint;
  const local =
    typeof given === 'string'
      ? given.replaceAll('authUrl', '--auth').replaceAll('baseUrl', service)
      : undefined;
  return {
    name: String(name),
    message: message.replace(/the secret "[^"]*"/, 'the file'),
    ...(local !== undefined && { hint: local }),
  };
}

function describe({ message, hint }: { readonly message: string; readonly hint?: string }): string {
  if (hint === undefined) return message;
  return /[.?!]$/.test(message) ? `${message} ${hint}` : `${message}. ${hint}`;
}

function parseEntry(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(line)) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
