import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The doc comments of an interface. */
export interface InterfaceDoc {
  readonly text: string;
  /** By the name of the field, those of extended interfaces included. */
  readonly fields: Readonly<Record<string, string>>;
  /** By the name of the field its type as it is written: `string | null`; required ones end in `!`. */
  readonly types: Readonly<Record<string, string>>;
}

/** The doc comments of all interfaces in files: each sentence of the contract is written there, once. */
export function readDocComments(...files: readonly URL[]): Map<string, InterfaceDoc> {
  const docs = new Map<string, InterfaceDoc>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const source = ts.createSourceFile(file.pathname, text, ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) {
      if (!ts.isInterfaceDeclaration(statement)) continue;
      const bases = basesOf(statement).flatMap((name) => docs.get(name) ?? []);
      const together = (key: 'fields' | 'types', own: Record<string, string>) =>
        Object.assign({}, ...bases.map((base) => base[key]), own) as Record<string, string>;
      docs.set(statement.name.text, {
        text: commentOf(statement),
        fields: together('fields', fieldsOf(statement)),
        types: together('types', typesOf(statement)),
      });
    }
  }
  return docs;
}

/** The doc comments of the properties of an object in a file: that in the value of a variable. */
export function readPropertyComments(
  file: URL,
  variable: string,
): Readonly<Record<string, string>> {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file.pathname, text, ts.ScriptTarget.Latest, true);
  const declared = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find(({ name }) => name.getText() === variable);
  const object = declared && firstObjectIn(declared);
  if (object === undefined) throw new Error(`${file.pathname} has no object ${variable}`);
  return Object.fromEntries(
    object.properties
      .filter(ts.isPropertyAssignment)
      .map((property) => [property.name.getText(), commentOf(property)]),
  );
}

function firstObjectIn(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  if (ts.isObjectLiteralExpression(node)) return node;
  return ts.forEachChild(node, firstObjectIn);
}

function basesOf({ heritageClauses }: ts.InterfaceDeclaration): string[] {
  return [...(heritageClauses ?? [])].flatMap(({ types }) =>
    types.map(({ expression }) => expression.getText()),
  );
}

function fieldsOf({ members }: ts.InterfaceDeclaration): Record<string, string> {
  const fields = members.filter(ts.isPropertySignature);
  return Object.fromEntries(
    fields
      .map((field) => [field.name.getText(), commentOf(field)] as const)
      .filter(([, text]) => text !== ''),
  );
}

function typesOf({ members }: ts.InterfaceDeclaration): Record<string, string> {
  return Object.fromEntries(
    members
      .filter(ts.isPropertySignature)
      .map(({ name, type, questionToken }) => [
        name.getText(),
        `${type?.getText() ?? ''}${questionToken === undefined ? '!' : ''}`,
      ]),
  );
}

/** In one line, without links and tags. */
function commentOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ');
}
