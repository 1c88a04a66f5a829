import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

/** Pages, and sources: programs print commands, too. */
const files = await Array.fromAsync(glob(['*.md', 'docs/**/*.md', '{functions,infra}/**/*.ts']));
const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));

/** The commands of the shell's lines: the parts between pipes and the like. */
const commands = texts
  .flatMap((text) => text.replaceAll(/\\+\n/g, ' ').split(/\n|\||&&|;/))
  .map((command) => command.trim());

// All users of the machine can list the arguments of programs, not those of the shell's commands.
it('no printed command has a secret in its arguments', () => {
  const uses = commands.filter((command) => /\$(TOKEN|SECRET)\b|\$\(cat /.test(command));
  expect(uses.length).toBeGreaterThan(3);
  for (const command of uses) expect(command).toMatch(/^(TOKEN=\$\()?(printf|echo) /);
});

it('the value of a secret comes from a file or a pipe', () => {
  const puts = commands.filter((command) => command.includes('--secret-string'));
  expect(puts.length).toBeGreaterThan(3);
  for (const command of puts) expect(command).toMatch(/--secret-string file:\/\//);
});
