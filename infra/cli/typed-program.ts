/** Where npm tells which script or program it runs. */
type Environment = Readonly<Record<string, string | undefined>>;

const NAME = 'sitecast';

/** How the command line was started, as it has to be typed again: `npm run sitecast --` in a clone. */
export function typedProgram(env: Environment = process.env): string {
  const { npm_lifecycle_event: script, npm_lifecycle_script: line = '' } = env;
  if (script === NAME) return `npm run ${NAME} --`;
  return script === 'npx' && line.startsWith(NAME) ? `npx ${NAME}` : NAME;
}

/** In a clone, npm keeps flags for itself that have no `--` before them. @returns what to do if none has come. */
export function missedFlags(
  env: Environment = process.env,
  args: readonly string[] = process.argv.slice(2),
): string {
  const isMissed = env['npm_lifecycle_event'] === NAME && !args.some((arg) => arg.startsWith('-'));
  return isMissed ? ' npm keeps flags for itself unless -- stands before them.' : '';
}

/** Flags that name the stack, and whether a value follows. */
const STACK_FLAG = /^--(?:(?<alone>local)|(?:stage|stack|region|profile)(?<value>=.*)?)$/s;

/** The flags with which the stack was named, as they have to be typed again. */
export function typedStack(args: readonly string[] = process.argv.slice(2)): string {
  return args
    .flatMap((arg, index) => {
      const { alone, value } = STACK_FLAG.exec(arg)?.groups ?? {};
      if (alone !== undefined || value !== undefined) return [quote(arg)];
      const next = args[index + 1];
      return STACK_FLAG.test(arg) && next !== undefined ? [arg, quote(next)] : [];
    })
    .join(' ');
}

/** For a shell. */
function quote(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`;
}

/** `sitecast` before a command, which may be one of a group. A command whose help is meant is left out. */
const COMMAND =
  /(?<!npx |run )\bsitecast (?:(?<command>(?:(?:quarantine|webhooks) )?[a-z]+)(?![a-z]|(?: [a-z]+)? --help)|(?=[a-z<]|--help))/g;

/** Replaces `sitecast` in the commands of a text by what has to be typed, and names the stack again. */
export function asTyped(
  text: string,
  env: Environment = process.env,
  args: readonly string[] = process.argv.slice(2),
): string {
  const stack = typedStack(args);
  return text.replaceAll(COMMAND, (_, command: string | undefined) => {
    if (command === undefined) return `${typedProgram(env)} `;
    return [typedProgram(env), command, ...(stack === '' ? [] : [stack])].join(' ');
  });
}
