import { mkdir, rm, writeFile } from 'node:fs/promises';
import * as configDocs from './config-docs/documents.ts';
import * as eventDocs from './event-docs/documents.ts';
import { collectExamples } from './event-docs/examples.ts';

/** Writes the generated documents: of `events`, or of the `config`. */
async function main(of: string | undefined): Promise<void> {
  const isEvents = of === 'events';
  const { FOLDER } = isEvents ? eventDocs : configDocs;
  const documents = isEvents
    ? await eventDocs.makeDocuments(await collectExamples())
    : await configDocs.makeDocuments();
  if (isEvents) await rm(FOLDER, { recursive: true, force: true });
  if (isEvents) await mkdir(new URL('schemas/data/', FOLDER), { recursive: true });
  for (const [path, text] of documents) await writeFile(new URL(path, FOLDER), text);
  console.log(`${documents.size} documents`);
}

await main(process.argv[2]);
