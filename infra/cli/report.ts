import { RefusedError } from './control-function.ts';
import type { CliContext } from './terminal.ts';

/** What a command has to tell. */
export interface Report {
  /** For programs. */
  readonly document: unknown;
  /** For people; absent if all was said. */
  readonly text?: string | undefined;
  /** Thrown after that is written. */
  readonly failure?: Error;
}

/** Writes what a command tells: a JSON document or text. A refusal is a document too. */
export async function reporting(
  { process }: CliContext,
  isJson: boolean | undefined,
  work: () => Promise<Report>,
): Promise<void> {
  const write = (document: unknown): void => {
    if (isJson === true) process.stdout.write(`${JSON.stringify(document)}\n`);
  };
  try {
    const { document, text, failure } = await work();
    write(document);
    if (isJson !== true && text !== undefined) process.stdout.write(`${text}\n`);
    if (failure !== undefined) throw failure;
  } catch (error) {
    if (error instanceof RefusedError) write(error.answer);
    throw error;
  }
}
