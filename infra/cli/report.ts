import { CliError } from './cli-error.ts';
import { RefusedError } from './control-function.ts';
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
  readonly failure?: Error;
}

/** Writes a command's result: a JSON document or text. The document of a failure is its error. */
export async function reporting(
  { process }: CliContext,
  isJson: boolean | undefined,
  work: () => Promise<Report>,
): Promise<void> {
  const write = (document: unknown): void => {
    if (isJson === true) writeDocument(document, process.stdout);
  };
  const report = await work().catch((error: unknown) => {
    write(error instanceof RefusedError ? error.answer : documentOf(error));
    throw error;
  });
  const { document, text, failure } = report;
  write({ ...document, ...(failure && documentOf(failure)) });
  if (isJson !== true && text !== undefined) process.stdout.write(`${asTyped(text)}\n`);
  if (failure !== undefined) throw failure;
}

export function writeDocument(document: unknown, stdout: NodeJS.WriteStream): void {
  stdout.write(`${JSON.stringify(document)}\n`);
}

/** An error in the form of a refusal. */
export function documentOf(error: unknown): object {
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
