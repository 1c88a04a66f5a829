import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The doc comments of an interface. */
export interface InterfaceDoc {
  readonly text: string;
  /** By the name of the field, those of extended interfaces included. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The doc comments of all interfaces in files: each sentence of the contract is written there, once. */
export function readDocComments(...files: readonly URL[]): Map<string, InterfaceDoc> {
  const docs = new Map<string, InterfaceDoc>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const source = ts.createSourceFile(file.pathname, text, ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) {
      if (!ts.isInterfaceDeclaration(statement)) continue;
      const inherited = basesOf(statement).map((name) => docs.get(name)?.fields);
      docs.set(statement.name.text, {
        text: commentOf(statement),
        fields: Object.assign({}, ...inherited, fieldsOf(statement)) as Record<string, string>,
      });
    }
  }
  return docs;
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
