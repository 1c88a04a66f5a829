import ts from 'typescript';

/** A change of a function. */
export type Change =
  /** Statements before those of the function. */
  | { readonly first: string }
  /** Statements in place of those of the function. */
  | { readonly body: string }
  /** Expression that is returned instead. It may use `result`, the value of the function. */
  | { readonly result: string }
  | {
      /** The called expression as written: `save`, `view.feeds.every`. */
      readonly call: string;
      /** Expression in place of the call. */
      readonly becomes: string;
    };

/** A fault in one function. It is anchored on names, not on quoted lines: it survives edits. */
export type Edit = Change & {
  /** Below `functions/core`. */
  readonly file: string;
  /** The function, or `Class.method`. */
  readonly in: string;
};

/** A function of a source file, with its block. */
interface NamedBody {
  readonly name: string;
  readonly body: ts.Block;
}

/**
 * The text of a source file with some mutants, of which `globalThis.mutant` names the one to run.
 *
 * @throws Error when a function, or the call in it, is not there exactly once.
 */
export function withVariants(
  source: string,
  path: string,
  mutants: readonly { readonly name: string; readonly edits: readonly Edit[] }[],
): string {
  const bodies = bodiesOf(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true));
  const cases = new Map<NamedBody, string>();
  for (const { name, edits } of mutants) {
    for (const edit of edits.filter(({ file }) => file === path)) {
      const places = bodies.filter((each) => each.name === edit.in);
      const place = only(places, `${path}: a function ${edit.in}`);
      const variant = `case ${JSON.stringify(name)}: ${variantOf(place.body, edit)} return;\n`;
      cases.set(place, (cases.get(place) ?? '') + variant);
    }
  }
  // From the last one to the first, so that the places of the others stay as they are.
  return bodies.reduceRight((text, place) => {
    const added = cases.get(place);
    const start = place.body.getStart() + 1;
    if (added === undefined) return text;
    return `${text.slice(0, start)} switch (globalThis.mutant) { ${added} } ${text.slice(start)}`;
  }, source);
}

/** The block of a function with a fault. */
function variantOf(body: ts.Block, edit: Edit): string {
  const whole = body.getText();
  const inner = whole.slice(1, -1);
  if ('first' in edit) return `{ ${edit.first} ${inner} }`;
  if ('body' in edit) return `{ ${edit.body} }`;
  if ('result' in edit) return `{ const result = (() => { ${inner} })(); return ${edit.result}; }`;
  const calls = callsIn(body).filter(({ expression }) => expression.getText() === edit.call);
  const call = only(calls, `${edit.file}: ${edit.in}: a call ${edit.call}`);
  const [start, end] = [call.getStart() - body.getStart(), call.end - body.getStart()];
  return whole.slice(0, start) + edit.becomes + whole.slice(end);
}

function bodiesOf(file: ts.SourceFile): NamedBody[] {
  return file.statements.flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement)) return named(statement.name, statement.body);
    if (!ts.isClassDeclaration(statement)) return [];
    const prefix = `${statement.name?.text ?? ''}.`;
    return statement.members.flatMap((member) =>
      ts.isMethodDeclaration(member) ? named(member.name, member.body, prefix) : [],
    );
  });
}

function named(name: ts.Node | undefined, body: ts.Block | undefined, prefix = ''): NamedBody[] {
  return name && body ? [{ name: `${prefix}${name.getText()}`, body }] : [];
}

function callsIn(node: ts.Node): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isCallExpression(child)) calls.push(child);
    ts.forEachChild(child, visit);
  };
  visit(node);
  return calls;
}

function only<T>(found: readonly T[], target: string): T {
  const [first] = found;
  if (first === undefined || found.length > 1)
    throw new Error(`${target} is there ${found.length} times`);
  return first;
}
