import { writeFile } from 'node:fs/promises';
import { FOLDER, makeDocuments } from './documents.ts';

for (const [path, text] of await makeDocuments()) {
  await writeFile(new URL(path, FOLDER), text);
  console.log(`docs/${path}`);
}
