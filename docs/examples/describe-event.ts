import { isKnownEvent, parseChangeEvent, resolveClaimCheck } from 'sitecast-events';

/**
 * Describes an event in a few words.
 *
 * @param text the event as JSON.
 * @param readTextAt reads the text of a large event at `s3://<bucket>/<key>`.
 * @returns undefined for types that this version of the package does not know.
 */
export async function describeEvent(
  text: string,
  readTextAt: (dataref: string) => Promise<string>,
): Promise<string | undefined> {
  const event = await resolveClaimCheck(parseChangeEvent(text), readTextAt);
  if (!isKnownEvent(event)) return undefined;
  switch (event.type) {
    case 'floorplan.updated': // data.object is a Floorplan here
      return `${event.data.object.name ?? 'a floorplan'}: ${event.data.changed.join(', ')}`;
    case 'project.deleted':
      return `${event.data.object.name ?? 'a project'} is gone`;
    default:
      return `${event.type} ${event.subject}`;
  }
}
