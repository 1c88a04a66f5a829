import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkTag, readNotes } from '../../../../infra/package/release/release-notes.ts';

const BASE = 'https://github.com/owner/name/blob/v1.1.0';
const CHANGELOG = `# Changelog

Words before.

## [Unreleased]: 1.2.0

Next.

## [1.1.0] - 2026-12-01

- A [page](docs/page.md#part), and [another site](https://example.com).

### Upgrade

Deploy.

## [1.0.0] - 2026-11-30

First.
`;

it('takes the section of the version, up to the next version', () => {
  const notes = readNotes(CHANGELOG, '1.1.0', BASE);
  expect(notes).toMatch(/^- A \[page\].*Deploy\.\n+$/s);
  expect(readNotes(CHANGELOG, '1.0.0', BASE)).toBe('First.\n');
});

it('lets relative links lead into the repository, and no others', () => {
  expect(readNotes(CHANGELOG, '1.1.0', BASE)).toContain(
    `[page](${BASE}/docs/page.md#part), and [another site](https://example.com)`,
  );
});

it('takes what is not released in a dry run alone', () => {
  expect(readNotes(CHANGELOG, '1.2.0')).toBe('Next.\n\n');
  const release = () => readNotes(CHANGELOG, '1.2.0', BASE);
  expect(release).toThrow('"## [Unreleased]: 1.2.0"; allowed: "## [1.2.0]"');
});

it('names the heading that a changelog without the version needs', () => {
  expect(() => readNotes('# Changelog\n', '1.0.0', BASE)).toThrow('allowed: "## [1.0.0]"');
});

it('finds the version of package.json in the changelog', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(readNotes(readFileSync('CHANGELOG.md', 'utf8'), version)).not.toBe('');
});

it.each(['v1.1.1', '1.1.0', 'v1.1.0-rc.1'])('refuses the tag %s of version 1.1.0', (tag) => {
  const check = () => {
    checkTag(tag, '1.1.0');
  };
  expect(check).toThrow(`"${tag}"; allowed: "v1.1.0"`);
});

it('takes the tag of the version', () => {
  checkTag('v1.1.0', '1.1.0');
});
