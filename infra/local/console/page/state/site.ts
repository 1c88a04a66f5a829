import { effect, signal } from '@preact/signals';
import type { SiteView } from '../../protocol.ts';
import { ownChanges } from './own-changes.ts';
import { session } from './session.ts';

const PACE_MS = 1_000;

/** The projects of the simulated service, and the content of the selected one. */
export const site = signal<SiteView>({ projects: [], floorplans: [], checklists: [] });

let selectedId = '';

export function selectProject(id: string): void {
  selectedId = id;
  void readSite();
}

/** Reads the site again once a second, and after each change that is made here. */
export function keepSiteRead(): void {
  setInterval(() => void readSite(), PACE_MS);
  effect(() => {
    if (ownChanges.value.length > 0) void readSite();
  });
}

async function readSite(): Promise<void> {
  const { phase, service } = session.peek() ?? {};
  if (phase !== 'running' || !service?.isSimulated || document.hidden) return;
  const asked = selectedId;
  const query = asked === '' ? '' : `?project=${encodeURIComponent(asked)}`;
  const answer = await fetch(`/api/projects${query}`).catch(() => undefined);
  // A project that was selected meanwhile is newer than the answer.
  if (!answer?.ok || asked !== selectedId) return;
  site.value = (await answer.json()) as SiteView;
  selectedId = site.value.projectId ?? '';
}
