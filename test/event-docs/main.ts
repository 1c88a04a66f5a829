import { mkdir, rm, writeFile } from 'node:fs/promises';
import { FOLDER, makeDocuments } from './documents.ts';
import { collectExamples } from './examples.ts';

const documents = await makeDocuments(await collectExamples());
await rm(FOLDER, { recursive: true, force: true });
await mkdir(new URL('schemas/data/', FOLDER), { recursive: true });
for (const [path, text] of documents) await writeFile(new URL(path, FOLDER), text);
console.log(`${documents.size} documents in docs/events`);
