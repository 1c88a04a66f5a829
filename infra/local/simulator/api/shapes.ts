import type { Context } from 'hono';
import { z } from 'zod';
import { quote } from '../../../../functions/core/model/json/quote.ts';
import type { Behaviour } from '../behaviour.ts';
import { ServiceError } from '../service-error.ts';
import type { Floorplan, TemplateChecklist } from '../world/entities.ts';

/** First version without the sheet in floorplans (spec, "Changelog"). */
const SHEETS_LEFT_OUT = '2021-03-30';
/** First version without the items in checklists (spec, "Changelog"). */
const ITEMS_LEFT_OUT = '2021-04-15';

const date = z.iso.date();

/**
 * Reads the header `Service-Version`. A date means the version in force on that day; each change of
 * the changelog applies from its own day on.
 *
 * @returns the date, or a later one for the latest version.
 * @throws ServiceError 400 if it is not a date.
 */
export function readVersion(context: Context, { headers }: Pick<Behaviour, 'headers'>): string {
  const value = context.req.header(headers.version) ?? '9999-12-31';
  if (date.safeParse(value).success) return value;
  throw new ServiceError(
    400,
    `${headers.version} must be a date (YYYY-MM-DD), got ${quote(value)}`,
  );
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
  const isEmbedded = readVersion(context, behaviour) < SHEETS_LEFT_OUT || isSheetRequested(context);
  return ({ current_sheet, ...floorplan }) =>
    isEmbedded ? { ...floorplan, current_sheet } : floorplan;
}

/** Reads the query parameter `with_current_sheet` of a GET. */
function isSheetRequested(context: Context): boolean {
  const value = context.req.method === 'GET' ? context.req.query('with_current_sheet') : 'false';
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new ServiceError(400, `with_current_sheet must be true or false, got ${quote(value)}`);
}
