import { buildCommand } from '@stricli/core';
import { DRY_RUN_FLAG, flag, JSON_FLAG, STACK_FLAGS, STACK_USAGE, WAIT_FLAG } from '../flags.ts';
import type { CliContext } from '../terminal.ts';
import { change, type ChangeFlags } from './change.ts';

interface ForgetFlags extends Omit<ChangeFlags, 'list' | 'resource' | 'all'> {
  readonly project: string;
  readonly force?: boolean | undefined;
}

/** `sitecast forget`. */
export const forgetCommand = buildCommand<ForgetFlags, [], CliContext>({
  docs: {
    brief: 'Remove all that is known of a project',
    fullDescription: `Remove all that is known of a project: its lists with their entities, and itself. It raises no event.

If the service shows the project again, it is new: all of it is told as created. So a project that is still
polled is only forgotten with --force.

EXAMPLES
  sitecast forget --stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --dry-run
  sitecast forget --stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec`,
    customUsage: [`${STACK_USAGE} --project <id> [flags]`],
  },
  parameters: {
    flags: {
      ...STACK_FLAGS,
      project: { kind: 'parsed', parse: String, placeholder: 'id', brief: 'The project' },
      force: flag('Also a project that is still polled'),
      dryRun: DRY_RUN_FLAG,
      wait: WAIT_FLAG,
      json: JSON_FLAG,
    },
  },
  async func(flags) {
    const scope = { projectId: flags.project };
    const force = flags.force === true;
    await change(this, flags, () => ({ command: 'forget', scope, ...(force && { force }) }));
  },
});
