import { readFile } from 'node:fs/promises';
import {
  generateHelpTextForAllCommands,
  type Application,
  type CommandContext,
} from '@stricli/core';
import { describe, expect, it } from 'vitest';
import { makeApplication } from '../../infra/cli/application.ts';

const text = await readFile('docs/commands.md', 'utf8');
const commands = generateHelpTextForAllCommands(
  // No context is used.
  makeApplication() as unknown as Application<CommandContext>,
).map(([route, help]) => ({ name: route.split(' ')[1] ?? '', help }));
const flagsIn = (source: string) =>
  new Set([...source.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, name = '']) => name));

describe('docs/commands.md', () => {
  it('has a section on each command, and on no other', () => {
    const sections = [...text.matchAll(/^## ([a-z]+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual([...new Set(commands.map(({ name }) => name))]);
  });

  it('names every flag', () => {
    const known = flagsIn(commands.map(({ help }) => help).join('\n'));
    expect(known.size).toBeGreaterThan(15);
    const named = flagsIn(text);
    // The default: --no-wait is named.
    expect([...known].filter((name) => !named.has(name))).toEqual(['wait']);
  });
});
