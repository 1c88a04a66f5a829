/** One line of a check's report. */
export interface Finding {
  readonly result: 'ok' | 'warning' | 'failed' | 'not checked';
  /** What was checked: `config`. */
  readonly name: string;
  /** What was found, or why it failed, with what to do. */
  readonly text: string;
}
