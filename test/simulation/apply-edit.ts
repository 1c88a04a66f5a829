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
      /** A part of the arguments, where the function has several calls of this name. */
      readonly argument?: string;
      /** Expression in place of the call. */
      readonly becomes: string;
    };

/** A fault in one function. It is anchored on names, not on quoted lines, so that it survives edits. */
export type Edit = Change & {
  /** Below `functions/core`. */
  readonly file: string;
  /** The function, or `Class.method`; `Class.constructor` for a constructor. */
  readonly in: string;
};

/**
 * Puts a fault into the text of a source file.
 *
 * @throws Error when the function, or the call in it, is not there exactly once.
 */
export function applyEdit(source: string, edit: Edit): string {
  const file = ts.createSourceFile(edit.file, source, ts.ScriptTarget.Latest, true);
  const body = only(
    bodiesOf(file).filter(({ name }) => name === edit.in),
    `${edit.file}: a function ${edit.in}`,
  ).body;
  const inner = source.slice(body.getStart() + 1, body.end - 1);
  const replace = (node: ts.Node, text: string) =>
    source.slice(0, node.getStart()) + text + source.slice(node.end);
  if ('first' in edit) return replace(body, `{ ${edit.first} ${inner} }`);
  if ('body' in edit) return replace(body, `{ ${edit.body} }`);
  if ('result' in edit) {
    return replace(body, `{ const result = (() => { ${inner} })(); return ${edit.result}; }`);
  }
  const { call, argument = '', becomes } = edit;
  const found = callsIn(body).filter(
    (each) =>
      each.expression.getText() === call &&
      each.arguments.some((given) => given.getText().includes(argument)),
  );
  return replace(only(found, `${edit.file}: ${edit.in}: a call ${call}(${argument})`), becomes);
}

/** The edits of one fault. */
interface Variant {
  readonly name: string;
  readonly edits: readonly Edit[];
}

/**
 * Puts several faults into the text of a source file: `globalThis.sabotage` names the one that is there when a
 * function is called. Without such a name the code is as before.
 *
 * @throws Error as {@link applyEdit} does.
 */
export function withVariants(source: string, variants: readonly Variant[]): string {
  const cases = new Map<string, string>();
  for (const { name, edits } of variants) {
    const edited = bodiesIn(edits.reduce(applyEdit, source));
    for (const place of new Set(edits.map((edit) => edit.in))) {
      const body = edited.find((each) => each.name === place)?.text ?? '';
      const other = `case ${JSON.stringify(name)}: ${body} return;\n`;
      cases.set(place, (cases.get(place) ?? '') + other);
    }
  }
  // From the last one to the first, so that the places of the others stay as they are.
  return bodiesIn(source).reduceRight((text, { name, start }) => {
    const added = cases.get(name);
    if (added === undefined) return text;
    const choice = `switch (globalThis.sabotage) { ${added} }`;
    return `${text.slice(0, start + 1)} ${choice} ${text.slice(start + 1)}`;
  }, source);
}

/** The functions of a text, with their blocks. */
function bodiesIn(source: string) {
  const file = ts.createSourceFile('', source, ts.ScriptTarget.Latest, true);
  return bodiesOf(file).map(({ name, body }) => ({
    name,
    start: body.getStart(),
    text: body.getText(),
  }));
}

interface NamedBody {
  readonly name: string;
  readonly body: ts.Block;
}

function bodiesOf(file: ts.SourceFile): NamedBody[] {
  return file.statements.flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement)) return named(statement.name, statement.body);
    if (!ts.isClassDeclaration(statement)) return [];
    const name = statement.name?.text ?? '';
    return statement.members.flatMap((member) => {
      if (ts.isConstructorDeclaration(member)) {
        return member.body ? [{ name: `${name}.constructor`, body: member.body }] : [];
      }
      return ts.isMethodDeclaration(member) ? named(member.name, member.body, `${name}.`) : [];
    });
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
