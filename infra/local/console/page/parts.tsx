import type { ComponentChildren } from 'preact';
import { isStopped } from './state/session.ts';

interface ControlsProps {
  readonly isFixed?: boolean;
  readonly children: ComponentChildren;
}

/** Controls that need the session: disabled once it has ended. */
export function Controls({ isFixed = false, children }: ControlsProps) {
  return (
    <fieldset class="controls" disabled={isStopped.value || isFixed}>
      {children}
    </fieldset>
  );
}
