import { parseJson } from '../../core/model/json/json.ts';
import type { Answer } from './parse-page.ts';

/** Characters that V8 quotes before and after an unexpected token. */
const QUOTED_AROUND = 10;

/** Parses the body of an answer. @throws what `broken` makes when it is not JSON. */
export function parseBody(text: string, broken: Answer['broken']): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const problem = text === '' ? 'it is empty' : describeSyntaxError(error as SyntaxError, text);
    throw broken(`the body must be JSON: ${problem}`);
  }
}

/** Why a text is not JSON and where, without the part of the text that the error of `JSON.parse` quotes. */
export function describeSyntaxError({ message }: SyntaxError, text: string): string {
  const [reason = ''] =
    /^.+?(?=, (?:\.\.\.)?"|(?: in JSON)? at position| of JSON input|$)/s.exec(message) ?? [];
  return `${reason} at position ${positionOf(message, text)} of ${text.length}`;
}

function positionOf(message: string, text: string): number {
  const stated = / at position (\d+)/.exec(message)?.[1];
  if (stated !== undefined) return Number(stated);
  // With an unexpected token V8 states no position, and quotes the text around it.
  const unexpected =
    /^Unexpected token '(.+?)', (\.\.\.)?"(.*)"(?:\.\.\.)? is not valid JSON$/su.exec(message);
  if (unexpected === null) return text.length;
  const [, token = '', dots, around = ''] = unexpected;
  if (dots !== undefined) return text.indexOf(around) + QUOTED_AROUND;
  return around === text ? text.indexOf(token) : around.length - QUOTED_AROUND;
}
