/** @throws Error unless the tag is that of the version. */
export function checkTag(tag: string, version: string): void {
  if (tag === `v${version}`) return;
  throw new Error(`The tag is "${tag}"; allowed: "v${version}", the version of package.json.`);
}

/**
 * Reads the section of the changelog on a version.
 *
 * @param base the address that its relative links get. A release has one: without it, the section
 *   may be that of the next release.
 * @throws Error if there is none.
 */
export function readNotes(changelog: string, version: string, base?: string): string {
  const isReleased = base !== undefined;
  const headings = [`## [${version}]`, ...(isReleased ? [] : [`## [Unreleased]: ${version}`])];
  const [, ...sections] = changelog.split(/^(?=## \[)/m);
  const section = sections.find((each) => headings.some((heading) => each.startsWith(heading)));
  if (section === undefined) {
    const [first] = (sections[0] ?? 'no section').split('\n', 1);
    throw new Error(`CHANGELOG.md begins with "${first}"; allowed: "${headings.join('" or "')}".`);
  }
  const notes = section.replace(/^.*\n+/, '');
  return isReleased ? notes.replaceAll(/\]\((?![a-z]+:)/g, `](${base}/`) : notes;
}
