import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { nameProblem } from '../../protocol.ts';
import type { ChangeOutcome } from '../state/actions.ts';

interface NameFormProps {
  readonly label: string;
  readonly initial: string;
  readonly verb: string;
  readonly onSubmit: (name: string) => Promise<ChangeOutcome>;
  readonly onDone: () => void;
}

/** Asks for a name, and says beside it what is wrong with it. Escape leaves it. */
export function NameForm({ label, initial, verb, onSubmit, onDone }: NameFormProps) {
  const name = useSignal(initial);
  const problem = useSignal<string | undefined>(undefined);
  const isSending = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  const problemId = useId();
  // Before the next key is pressed.
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const submit = async (): Promise<void> => {
    if (isSending.current) return;
    problem.value = nameProblem(name.value);
    if (problem.value === undefined) {
      isSending.current = true;
      const outcome = await onSubmit(name.value);
      isSending.current = false;
      if ('ids' in outcome) {
        onDone();
        return;
      }
      problem.value = outcome.problem;
    }
    input.current?.focus();
  };
  return (
    <form
      class="name-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onDone();
      }}
    >
      <input
        ref={input}
        aria-label={label}
        placeholder={label}
        dir="auto"
        required
        aria-invalid={problem.value !== undefined}
        aria-describedby={problemId}
        value={name.value}
        onInput={({ currentTarget }) => (name.value = currentTarget.value)}
      />
      <button type="submit" class="small primary">
        {verb}
      </button>
      <button type="button" class="small" onClick={onDone}>
        Cancel
      </button>
      <p id={problemId} class="field-problem" aria-live="assertive">
        {problem.value}
      </p>
    </form>
  );
}
