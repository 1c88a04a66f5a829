import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');

/** The rules without those that need types: the code linted here is in no file. */
const eslint = new ESLint({
  cwd: ROOT,
  overrideConfig: [
    tseslint.configs.disableTypeChecked,
    { rules: { '@typescript-eslint/no-unused-expressions': 'off' } },
  ],
});

async function problemsOf(code: string, file: string): Promise<string[]> {
  const results = await eslint.lintText(`${code};\n`, { filePath: path.join(ROOT, file) });
  return results.flatMap(({ messages }) => messages.map(({ message }) => message));
}

describe('the core', () => {
  const file = 'functions/core/example.ts';

  it.each([
    'Date.now()',
    'Date["now"]()',
    'new Date()',
    'new Date',
    'Date()',
    'Math.random()',
    'process.env',
    'globalThis.process',
    'setTimeout(() => 1, 1)',
    'setInterval(() => 1, 1)',
    'setImmediate(() => 1)',
    'globalThis.setTimeout(() => 1, 1)',
    'performance.now()',
    'crypto.randomUUID()',
    'fetch("http://127.0.0.1")',
  ])('must not use %s, and names the replacement', async (code) => {
    expect(await problemsOf(code, file)).toEqual([
      expect.stringMatching(/Deterministic code .*: /),
    ]);
  });

  it.each(['new Date(0)', 'Date.parse("2024-01-01")', 'Math.floor(1.5)'])(
    'may use %s',
    async (code) => {
      expect(await problemsOf(code, file)).toEqual([]);
    },
  );
});

it('leaves adapters alone', async () => {
  expect(await problemsOf('process.env', 'functions/adapters/sns/example.ts')).toEqual([]);
});
