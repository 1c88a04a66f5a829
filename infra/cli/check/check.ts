import { text as readStream } from 'node:stream/consumers';
import { buildCommand } from '@stricli/core';
import { readCdkJson } from '../../config/read-cdk-json.ts';
import { CliError } from '../cli-error.ts';
import { JSON_FLAG, pick, text } from '../flags.ts';
import { countOf } from '../format.ts';
import { reporting } from '../report.ts';
import type { CliContext } from '../terminal.ts';
import type { Finding } from './list-rules.ts';
import { readExample } from '#parts';

interface CheckFlags {
  readonly stage: string;
  readonly cdk: string;
  readonly json?: boolean | undefined;
}

const MARKS: Readonly<Record<Finding['result'], string>> = {
  ok: '✓',
  warning: '!',
  failed: '✗',
  'not checked': '–',
};

export const checkCommand = buildCommand<CheckFlags, [], CliContext>({
  docs: {
    brief: 'Check a stage before it is deployed',
    fullDescription: `Check a stage before it is deployed: its config and template, the account, the
refresh token, and the first page of each list. Then print how often the request budget polls the
lists. Changes nothing.

The refresh token comes from SITECAST_REFRESH_TOKEN or from standard input.

EXAMPLES
  read -rs TOKEN && echo "$TOKEN" | sitecast check --stage prod`,
    customUsage: ['--stage <name> [flags]'],
  },
  parameters: {
    flags: {
      stage: {
        ...text('name', 'Stage of cdk.json, or in a clone: example'),
        optional: false,
      },
      cdk: {
        ...{ kind: 'parsed', parse: String, placeholder: 'file', default: 'cdk.json' },
        brief: 'Read the stage from another file',
      },
      json: JSON_FLAG,
    },
  },
  async func({ stage, cdk, json }) {
    await reporting(this, json, async () => {
      const fields = pick('stage', readStages(cdk), stage) as object;
      // Loaded late: wrong flags are refused at once.
      const { checkStage } = await import('./check-stage.ts');
      const { stdout, stdin, env } = this.process;
      const readToken = () => readTokenFrom(env, stdin);
      const findings: Finding[] = [];
      for await (const finding of checkStage({ stage, fields, readToken })) {
        findings.push(finding);
        if (json !== true) stdout.write(`${lineOf(finding)}\n`);
      }
      const count = findings.filter(({ result }) => result === 'failed').length;
      const failure = new CliError(`${countOf(count, 'check')} failed.`);
      return { document: { stage, findings }, ...(count > 0 && { failure }) };
    });
  },
});

function readStages(cdk: string): Readonly<Record<string, unknown>> {
  try {
    return { ...readExample(), ...readCdkJson(cdk).stages };
  } catch (error) {
    const hint = 'Run it in the folder of a cdk.json with stages, or name one: --cdk <file>.';
    throw new CliError((error as Error).message, hint);
  }
}

function lineOf({ result, name, text: found }: Finding): string {
  return `${MARKS[result]} ${name.padEnd(10)} ${found}`;
}

/** The refresh token is never an argument, which other users of the machine could read. */
async function readTokenFrom(env: NodeJS.ProcessEnv, stdin: NodeJS.ReadStream): Promise<string> {
  const token = (
    env['SITECAST_REFRESH_TOKEN'] ?? (stdin.isTTY ? '' : await readStream(stdin))
  ).trim();
  if (token !== '') return token;
  throw new Error(
    'No refresh token was given: set SITECAST_REFRESH_TOKEN, or pipe it to standard input',
  );
}
