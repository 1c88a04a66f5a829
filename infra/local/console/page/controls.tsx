import type { ComponentChildren } from 'preact';
import { isStopped } from './state/state.ts';

/** Controls that need the session: disabled once it has ended. */
export function Controls({ children }: { readonly children: ComponentChildren }) {
  return (
    <fieldset class="controls" disabled={isStopped.value}>
      {children}
    </fieldset>
  );
}
