import { CliError } from './cli-error.ts';
import type { CliContext } from './terminal.ts';

/** Scripts of package.json that run this program. */
const SCRIPTS = ['sitecast', 'start', 'service', 'preflight'];

/** The result of a command. */
export interface Report {
  /** For programs. */
  readonly document: object;
  /** For people; absent if all was said. */
  readonly text?: string | undefined;
  /** Thrown after that is written. */
  readonly failure?: CliError;
}

/** Writes a command's result: a JSON document or text. That of a failure is left to its error. */
export async function reporting(
  { process }: CliContext,
  isJson: boolean | undefined,
  work: () => Promise<Report>,
): Promise<void> {
  const { document, text, failure } = await work();
  if (isJson !== true && text !== undefined) process.stdout.write(`${asTyped(text)}\n`);
  if (failure === undefined) {
    if (isJson === true) writeDocument(document, process.stdout);
    return;
  }
  failure.document = { ...document, ...documentOf(failure) };
  throw failure;
}

export function writeDocument(document: unknown, stdout: NodeJS.WriteStream): void {
  stdout.write(`${JSON.stringify(document)}\n`);
}

/** An error for programs: the document that it has, or one in the form of a refusal. */
export function documentOf(error: unknown): object {
  if (error instanceof CliError && error.document) return error.document;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const hint = error instanceof CliError ? error.hint : undefined;
  return { error: { name, message, ...(hint !== undefined && { hint: asTyped(hint) }) } };
}

/** Words commands in a text as they have to be typed: `npm run sitecast -- status` in a clone. */
export function asTyped(text: string, env: NodeJS.ProcessEnv = process.env): string {
  if (SCRIPTS.includes(env['npm_lifecycle_event'] ?? '')) {
    return text
      .replaceAll(/\bsitecast dev\b/g, 'npm start')
      .replaceAll(/(?<!run )\bsitecast (?=[a-z<-])/g, 'npm run sitecast -- ');
  }
  const isNpx = env['npm_command'] === 'exec';
  return isNpx ? text.replaceAll(/\bsitecast (?=[a-z<-])/g, 'npx sitecast ') : text;
}
