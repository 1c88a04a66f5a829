import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');

/** The rules of the house without those that need types: what is linted here is in no file. */
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
  ])('must not use %s, and is told what to use instead', async (code) => {
    expect(await problemsOf(code, 'functions/core/example.ts')).toEqual([
      expect.stringMatching(/The core .*: /),
    ]);
  });

  it.each(['new Date(0)', 'Date.parse("2024-01-01")', 'Math.floor(1.5)'])(
    'may use %s',
    async (code) => {
      expect(await problemsOf(code, 'functions/core/example.ts')).toEqual([]);
    },
  );

  it('is alone in this', async () => {
    expect(await problemsOf('process.env', 'functions/adapters/example.ts')).toEqual([]);
  });
});
