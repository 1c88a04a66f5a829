import type { Context } from 'hono';
import { z } from 'zod';
import { quote } from '../../../../functions/core/model/json/quote.ts';
import type { ServiceBehaviour } from '../behaviour.ts';
import type { Floorplan, TemplateChecklist } from '../world/entities.ts';
import { ApiError } from './api-error.ts';

/** First version without the sheet in floorplans (spec, "Changelog"). */
const SHEETS_LEFT_OUT = '2021-03-30';
/** First version without the items in checklists (spec, "Changelog"). */
const ITEMS_LEFT_OUT = '2021-04-15';

const date = z.iso.date();

/**
 * Reads the header `Service-Version`. A date means the version in force on that day; each change of
 * the changelog applies from its own day on.
 *
 * @returns the date, or undefined for the latest version.
 * @throws ApiError 400 if it is not a date.
 */
export function readVersion(
  context: Context,
  { headers }: Pick<ServiceBehaviour, 'headers'>,
): string | undefined {
  const value = context.req.header(headers.version);
  if (value === undefined) return undefined;
  if (!date.safeParse(value).success) {
    throw new ApiError(
      400,
      'bad_version',
      `${headers.version} must be a date of the form YYYY-MM-DD, got ${quote(value)}`,
    );
  }
  return value;
}

/** Converts checklists to the request's version: with items before 2021-04-15. */
export function checklistShape(
  context: Context,
  behaviour: Pick<ServiceBehaviour, 'deletedItems' | 'headers'>,
): (checklist: TemplateChecklist) => object {
  const version = readVersion(context, behaviour);
  if (version === undefined || version >= ITEMS_LEFT_OUT) {
    return ({ template_check_items, ...checklist }) => checklist;
  }
  if (behaviour.deletedItems === 'marked') return (checklist) => checklist;
  return ({ template_check_items: items, ...checklist }) => ({
    ...checklist,
    template_check_items: items.filter((item) => item.deleted_at === null),
  });
}

/**
 * Converts floorplans to the request's version: with the current sheet before 2021-03-30.
 *
 * @param wanted whether the request asks for the sheet regardless of the version.
 */
export function floorplanShape(
  context: Context,
  behaviour: Pick<ServiceBehaviour, 'headers'>,
  wanted = false,
): (floorplan: Floorplan) => object {
  const version = readVersion(context, behaviour);
  if (wanted || (version !== undefined && version < SHEETS_LEFT_OUT)) {
    return (floorplan) => floorplan;
  }
  return ({ current_sheet, ...floorplan }) => floorplan;
}

/**
 * Reads the query parameter `with_current_sheet`.
 *
 * @throws ApiError 400 if it is not a boolean.
 */
export function readWithCurrentSheet(context: Context): boolean {
  const value = context.req.query('with_current_sheet');
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new ApiError(
    400,
    'bad_with_current_sheet',
    `with_current_sheet must be true or false, got ${quote(value)}`,
  );
}
