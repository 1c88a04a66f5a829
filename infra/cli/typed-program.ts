/** Where npm tells which script or program it runs. */
type Environment = Readonly<Record<string, string | undefined>>;

const NAME = 'sitecast';

/** How the command line was started, as it has to be typed again: `npm run sitecast --` in a clone. */
export function typedProgram(env: Environment = process.env): string {
  const { npm_lifecycle_event: script, npm_lifecycle_script: line = '' } = env;
  if (script === NAME) return `npm run ${NAME} --`;
  return script === 'npx' && line.startsWith(NAME) ? `npx ${NAME}` : NAME;
}

/** Replaces `sitecast` in the commands of a text by what has to be typed. */
export function asTyped(text: string, env: Environment = process.env): string {
  return text.replaceAll(/(?<!npx |run )\bsitecast (?=[a-z<]|--help)/g, `${typedProgram(env)} `);
}
