import { buildCommand, type Command } from '@stricli/core';
import type { ControlRequest } from '../../functions/control/protocol.ts';
import { askControl, type AnswerTo } from './control-function.ts';
import { findStack, type Stack } from './find-stack.ts';
import { commandLine, JSON_FLAG, STACK_FLAGS, STACK_USAGE, type StackFlags } from './flags.ts';
import { reporting, type Report } from './report.ts';
import { painterFor, widthOf, type CliContext, type Paint } from './terminal.ts';

/** Flags of every command that asks the control function. */
export interface OperationFlags extends StackFlags {
  readonly json?: boolean | undefined;
}

export interface View {
  readonly name: string;
  readonly paint: Paint;
  readonly now: number;
  /** A command for the same stack, as it is typed: `sitecast status --local`. */
  readonly command: (words: string) => string;
  /** Columns of the terminal; absent for pipes and files. */
  readonly width?: number | undefined;
}

/** A request to the control function of a stack. */
export interface Exchange<F, R> {
  readonly stack: Stack;
  readonly request: R;
  readonly flags: F;
  readonly view: View;
  readonly process: CliContext['process'];
}

type CommandParameters<F extends OperationFlags, A extends readonly unknown[]> = Parameters<
  typeof buildCommand<F, A, CliContext>
>[0]['parameters'];

interface Operation<F extends OperationFlags, A extends readonly unknown[], R> {
  /** `webhooks list`. */
  readonly path: string;
  readonly brief: string;
  /** Goes on after the brief. */
  readonly details?: string;
  /** The usage after the stack. */
  readonly usage?: string;
  readonly examples: readonly string[];
  readonly flags?: object;
  readonly positional?: CommandParameters<F, A>['positional'];
  /** @throws UsageError if the flags contradict. */
  readonly request: (flags: F, ...args: A) => R;
  readonly report: (exchange: Exchange<F, R>) => Promise<Report>;
}

/** Builds a command that asks the control function of a stack. */
export function buildOperation<
  F extends OperationFlags,
  A extends readonly unknown[],
  R extends ControlRequest,
>(operation: Operation<F, A, R>): Command<CliContext> {
  const { path, brief, details, usage = '[flags]', examples, request, report } = operation;
  const lines = examples.map((example) => `  sitecast ${path} ${example}`);
  const sentence = details === undefined ? brief : `${brief}: ${details}`;
  return buildCommand<F, A, CliContext>({
    docs: {
      brief,
      fullDescription: [`${sentence}.`, '', 'EXAMPLES', ...lines].join('\n'),
      customUsage: [`${STACK_USAGE} ${usage}`],
    },
    parameters: {
      flags: { ...STACK_FLAGS, ...operation.flags, json: JSON_FLAG },
      ...(operation.positional && { positional: operation.positional }),
    } as unknown as CommandParameters<F, A>,
    async func(flags, ...args) {
      await reporting(this, flags.json, async () => {
        const wanted = request(flags, ...args);
        const stack = await findStack(flags);
        const { process } = this;
        const paint = painterFor(process.stdout);
        const command = (words: string): string => commandLine(words, flags);
        const width = widthOf(process);
        const view = { name: stack.name, paint, now: Date.now(), width, command };
        return report({ stack, request: wanted, flags, view, process });
      });
    },
  });
}

/** Reports the answer to a request as a text. */
export function answering<F, R extends ControlRequest>(
  format: (answer: AnswerTo<R>, view: View, flags: F) => string,
) {
  return async ({ stack, request, flags, view }: Exchange<F, R>): Promise<Report> => {
    const answer = await askControl(stack, request);
    return { document: answer, text: format(answer, view, flags) };
  };
}
