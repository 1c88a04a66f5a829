/**
 * Parses a page of 5 MB of small objects and prints how much its resident set grew at most, in MB. With the
 * argument `exact` the page ends with a number that JavaScript cannot hold.
 */
import { parseJson } from '../../../../functions/core/model/json/json.ts';
import { peakMb } from './peak-mb.ts';

const OBJECTS = 500_000;
const last = process.argv[2] === 'exact' ? '9007199254740993' : '1';
const body = Buffer.from(`[${'{"id":10},'.repeat(OBJECTS)}{"id":${last}}]`);
const before = peakMb();
const page = parseJson(body.toString()) as unknown[];
if (page.length !== OBJECTS + 1) throw new Error('the page was not parsed');
process.stdout.write(String(peakMb() - before));
