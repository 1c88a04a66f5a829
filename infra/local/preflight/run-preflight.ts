import { findNearest } from '../../config/find-nearest.ts';
import { readCdkJson } from '../../config/read-cdk-json.ts';
import { readExample } from '../../config/select-stages.ts';
import { countOf } from '../../count-of.ts';
import { OptionInvalidError, readFlags } from '../terminal/read-flags.ts';
import type { Finding } from './checks.ts';
import type { Outlook } from './outlook.ts';
import { readToken, TOKEN_VARIABLE, type TokenSources } from './read-token.ts';

const HELP = `Usage: npm run preflight -- --stage <name> [flags]

Checks a stage of cdk.json before it is deployed: its config and template, the
account, the refresh token, and the first page of each list. Then prints what the
request budget will mean. Changes nothing.

  --stage <name>  the stage, or the example of docs/config.example.json
  --cdk <file>    read its config from another file than cdk.json
  -h, --help      print this help

The refresh token comes from ${TOKEN_VARIABLE} or from standard input:
  read -rs TOKEN && echo "$TOKEN" | npm run preflight -- --stage prod

Ends with status 1 when a check fails, and with 2 when the flags are wrong.
`;

const FLAGS = {
  stage: { type: 'string' },
  cdk: { type: 'string', default: 'cdk.json' },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

const MARKS: Readonly<Record<Finding['result'], string>> = {
  ok: '✓',
  warning: '!',
  failed: '✗',
  'not checked': '–',
  waiting: '…',
};

function lineOf({ result, name, text }: Finding): string {
  return `${MARKS[result]} ${name.padEnd(10)} ${text}`;
}

/** The fields of the stage, unchecked. @throws CdkJsonError if the file cannot be used. */
function readStage(file: string, name: string | undefined): Readonly<Record<string, unknown>> {
  const { stages } = readCdkJson(file);
  const known = Object.keys(stages);
  const list =
    known.length === 0
      ? `The context of ${file} has no stages in "notifier"`
      : `The stages of ${file} are ${known.join(', ')}`;
  if (name === undefined) throw new OptionInvalidError(`--stage is missing. ${list}.`);
  const stage = stages[name] ?? readExample()[name];
  // The check of the config refuses what is no object.
  if (stage !== undefined) return stage as Readonly<Record<string, unknown>>;
  const nearest = findNearest(name, known);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new OptionInvalidError(`There is no stage ${JSON.stringify(name)}.${suggestion} ${list}.`);
}

function describe(outlook: Outlook): string {
  const { lists, turnSeconds, maxWaitSeconds, isEnough, neededRequestsPerMinute } = outlook;
  const { idleMonthUsd, monitoringUsd } = outlook;
  const budget = isEnough
    ? `The budget keeps maxWaitSeconds (${maxWaitSeconds}); for its lists alone ${countOf(neededRequestsPerMinute, 'request')} a minute would be enough.`
    : `The budget is too small for maxWaitSeconds (${maxWaitSeconds}): set requestsPerMinute to ${neededRequestsPerMinute}, or raise maxWaitSeconds.`;
  return [
    `What the request budget means: ${countOf(lists, 'list')}, all of them polled in ${countOf(turnSeconds, 'second')}.`,
    budget,
    `An idle month costs about ${idleMonthUsd.toFixed(2)} US dollars, ${monitoringUsd.toFixed(2)} of them for monitoring ` +
      '(with the default everyMinutes, memoryMb and requestsPerMinute), see docs/scaling.md.',
  ].join('\n');
}

/**
 * Runs the command `npm run preflight`.
 *
 * @param args its flags.
 * @param sources where the refresh token may come from.
 * @param print receives each line of the report at once.
 * @returns the exit status: 1 when a check failed.
 * @throws OptionInvalidError when the flags are wrong.
 */
export async function runPreflight(
  args: readonly string[],
  sources: TokenSources,
  print: (line: string) => void,
): Promise<number> {
  const { help, stage, cdk } = readFlags(args, FLAGS, 'npm run preflight -- --help');
  if (help) {
    print(HELP);
    return 0;
  }
  const fields = readStage(cdk, stage);
  // Loaded only now: wrong flags are refused at once.
  const { preflight } = await import('./checks.ts');
  const { checkAccount } = await import('./check-account.ts');
  let hasFailed = false;
  const outlook = await preflight({
    stage: stage ?? '',
    fields,
    readToken: () => readToken(sources),
    checkAccount: () => checkAccount(fields),
    onFinding: (finding) => {
      hasFailed ||= finding.result === 'failed';
      print(lineOf(finding));
    },
  });
  if (outlook !== undefined) print(`\n${describe(outlook)}`);
  return hasFailed || outlook === undefined ? 1 : 0;
}
