import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The doc comments of an interface. */
export interface InterfaceDoc {
  readonly text: string;
  /** By the name of the field, those of extended interfaces included. */
  readonly fields: Readonly<Record<string, string>>;
  /** By the name of the field its type as it is written, of required ones with a `!` at its end. */
  readonly types: Readonly<Record<string, string>>;
}

/** The doc comments of all interfaces in files: each sentence of the contract is there, once. */
export function readDocComments(...files: readonly URL[]): Map<string, InterfaceDoc> {
  const docs = new Map<string, InterfaceDoc>();
  for (const declared of files.flatMap(parse).filter(ts.isInterfaceDeclaration)) {
    const fields: Record<string, string> = {};
    const types: Record<string, string> = {};
    for (const { types: bases } of declared.heritageClauses ?? []) {
      for (const { expression } of bases) {
        Object.assign(fields, docs.get(expression.getText())?.fields);
        Object.assign(types, docs.get(expression.getText())?.types);
      }
    }
    for (const member of declared.members.filter(ts.isPropertySignature)) {
      const name = member.name.getText();
      const text = commentOf(member);
      if (text !== '') fields[name] = text;
      types[name] = `${member.type?.getText() ?? ''}${member.questionToken ? '' : '!'}`;
    }
    docs.set(declared.name.text, { text: commentOf(declared), fields, types });
  }
  return docs;
}

/** The doc comments of the properties of an object in a file: that in the value of a variable. */
export function readPropertyComments(
  file: URL,
  variable: string,
): Readonly<Record<string, string>> {
  const declared = parse(file)
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

function parse(file: URL): readonly ts.Statement[] {
  const text = readFileSync(file, 'utf8');
  return ts.createSourceFile(file.pathname, text, ts.ScriptTarget.Latest, true).statements;
}

function firstObjectIn(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  if (ts.isObjectLiteralExpression(node)) return node;
  return ts.forEachChild(node, firstObjectIn);
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
