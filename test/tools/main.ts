import { mkdir, rm, writeFile } from 'node:fs/promises';
import * as configDocs from './config-docs/documents.ts';
import * as eventDocs from './event-docs/documents.ts';
import { collectExamples } from './event-docs/examples.ts';
import { makePages } from './page-docs/pages.ts';

/** Writes documents below a folder. */
async function write(folder: URL, documents: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of documents) await writeFile(new URL(path, folder), text);
  console.log(`${documents.size} documents in ${folder.pathname}`);
}

const events = await eventDocs.makeDocuments(await collectExamples());
await rm(eventDocs.FOLDER, { recursive: true, force: true });
await mkdir(new URL('schemas/data/', eventDocs.FOLDER), { recursive: true });
await write(eventDocs.FOLDER, events);
await write(configDocs.FOLDER, await configDocs.makeDocuments());
await write(configDocs.FOLDER, await makePages());
