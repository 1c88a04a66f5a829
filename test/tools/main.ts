import { mkdir, rm, writeFile } from 'node:fs/promises';
import * as configDocs from './config-docs/documents.ts';
import * as eventDocs from './event-docs/documents.ts';
import { collectExamples } from './event-docs/examples.ts';
import * as pageDocs from './page-docs/documents.ts';
import { DOCS } from './pages.ts';

const documents = [
  ...(await eventDocs.makeDocuments(await collectExamples())),
  ...(await configDocs.makeDocuments()),
  ...(await pageDocs.makeDocuments()),
];
const schemas = new URL('events/schemas/', DOCS);
await rm(schemas, { recursive: true, force: true });
await mkdir(new URL('data/', schemas), { recursive: true });
for (const [path, text] of documents) await writeFile(new URL(path, DOCS), text);
console.log(`${documents.length} documents in ${DOCS.pathname}`);
