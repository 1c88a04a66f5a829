import { bundlePage, type PageFiles } from '../local/console/server/bundle-page.ts';

// What the local stack makes from the sources in a clone. The package ships it: package-parts.ts.
export { readStage } from '../cli/dev/read-stage.ts';
export { readExample } from '../config/select-stages.ts';
export { synthesize } from '../local/stack/synthesize.ts';

/** Whether the stage of a config can be synthesized. */
export const hasCdk = true as boolean;

/** Makes the page of the console. */
export const readPage = async (): Promise<PageFiles> => (await bundlePage()).files;
