import { readFileSync } from 'node:fs';

/** cdk.json, or a file like it, cannot be used. The message names the file and the place. */
export class CdkJsonError extends Error {
  override readonly name = 'CdkJsonError';
}

/** What a file like cdk.json says. */
export interface CdkJson {
  readonly context: Readonly<Record<string, unknown>>;
  /** Unchecked: a stage may be anything. */
  readonly stages: Readonly<Record<string, unknown>>;
}

/**
 * Reads a file like cdk.json.
 *
 * @param path as messages name it, too.
 * @throws CdkJsonError if there is no such file, or if it is no JSON or no object.
 */
export function readCdkJson(path: string): CdkJson {
  const content = parse(path, readText(path));
  if (!isObject(content)) throw new CdkJsonError(`${path} is no object: it needs "context".`);
  const { context = {} } = content;
  if (!isObject(context)) throw new CdkJsonError(`"context" of ${path} is no object.`);
  const { notifier = {} } = context;
  if (!isObject(notifier)) {
    throw new CdkJsonError(`"notifier" in the context of ${path} is no object: it has the stages.`);
  }
  return { context, stages: notifier };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new CdkJsonError(`${path} ${reason}.`, { cause: error });
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    throw new CdkJsonError(`${path} is no valid JSON: ${message}.`, {
      cause: error,
    });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
