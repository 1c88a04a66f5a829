import type { Context } from 'hono';
import * as z from 'zod';
import type { Behaviour } from '../behaviour.ts';
import type { Floorplan, TemplateChecklist } from '../world/entities.ts';

/** First version without the sheet in floorplans (spec, "Changelog"). */
const SHEETS_LEFT_OUT = '2021-03-30';
/** First version without the items in checklists (spec, "Changelog"). */
const ITEMS_LEFT_OUT = '2021-04-15';

/** A date means the version in force on that day; each change applies from its own day on. */
const version = z.iso.date().default('9999-12-31');
const isSheetRequested = z.stringbool().default(false);

/** Reads the header `Service-Version`. @throws ZodError if it is not a date. */
export function readVersion(context: Context, { headers }: Pick<Behaviour, 'headers'>): string {
  return version.parse(context.req.header(headers.version));
}

/** Converts checklists to the request's version: with items before 2021-04-15. */
export function checklistShape(
  context: Context,
  behaviour: Pick<Behaviour, 'deletedItems' | 'headers'>,
): (checklist: TemplateChecklist) => object {
  const isNested = readVersion(context, behaviour) < ITEMS_LEFT_OUT;
  const isShown = (item: { deleted_at: string | null }): boolean =>
    behaviour.deletedItems === 'marked' || item.deleted_at === null;
  return ({ template_check_items: items, ...checklist }) =>
    isNested ? { ...checklist, template_check_items: items.filter(isShown) } : checklist;
}

/** Converts floorplans to the request's version: with the current sheet before 2021-03-30. */
export function floorplanShape(
  context: Context,
  behaviour: Pick<Behaviour, 'headers'>,
): (floorplan: Floorplan) => object {
  const isRequested = isSheetRequested.parse(context.req.query('with_current_sheet'));
  const isEmbedded = readVersion(context, behaviour) < SHEETS_LEFT_OUT || isRequested;
  return ({ current_sheet, ...floorplan }) =>
    isEmbedded ? { ...floorplan, current_sheet } : floorplan;
}
