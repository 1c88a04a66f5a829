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
  const content = parse(path);
  const context = isObject(content) ? (content['context'] ?? {}) : undefined;
  const stages = isObject(context) ? (context['notifier'] ?? {}) : undefined;
  if (isObject(context) && isObject(stages)) return { context, stages };
  throw new CdkJsonError(
    `${path} needs "context", an object with "notifier", which has the stages.`,
  );
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : message;
    throw new CdkJsonError(`${path} cannot be read: ${reason}.`, { cause: error });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
