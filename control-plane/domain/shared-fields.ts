// Fields that several resources share: names, ids, times, model globs, metadata, page sizes. Each reader's problem
// describes which values are accepted, and never repeats the submitted text.
import { isModelGlob } from '../../catalog/model-selector.ts';
import { containsCredential } from '../../common/credential.ts';
import { visiblePattern } from '../../common/tags.ts';
import { isUuid } from '../../common/uuid.ts';
import { each, type Field, invalid, type Problem, problemsAt, valid } from './field.ts';

export const nameLengthMax = 128;
export const globsMax = 100;
export const metadataEntriesMax = 16;
export const metadataKeyLengthMax = 64;
export const metadataValueLengthMax = 512;

const metadataKeyPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;

/**
 * Operators' texts are shown, logged and audited. A key or token in one is a mistake, and must not stay in the logs for
 * ever.
 */
export const noCredential =
  'must not contain a key or token of the gateway: it would be written to logs and to the audit log';

/** Returns the text unchanged. */
export function visible(text: string, lengthMax: number): Field<string> {
  const length = [...text].length;
  if (containsCredential(text)) return invalid(noCredential);
  return length >= 1 && length <= lengthMax && visiblePattern.test(text)
    ? valid(text)
    : invalid(`must be 1 to ${lengthMax} visible characters`);
}

/** Trims the text and converts it to Unicode's composed form. */
export function name(text: string): Field<string> {
  return visible(text.trim().normalize('NFC'), nameLengthMax);
}

/** The address is only shown to people, so it only has to look like one and fit. */
export function email(text: string): Field<string> {
  const trimmed = text.trim();
  if (containsCredential(trimmed)) return invalid(noCredential);
  return /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,189}$/u.test(trimmed)
    ? valid(trimmed)
    : invalid('must be an e-mail address of at most 254 characters; leave it out if there is none');
}

export function id(text: string): Field<string> {
  return isUuid(text) ? valid(text) : invalid('must be an id: a UUID in lower case');
}

export function clientRequestId(text: string): Field<string> {
  if (containsCredential(text)) return invalid(noCredential);
  return /^[\x21-\x7e]{1,128}$/.test(text)
    ? valid(text)
    : invalid('must be 1 to 128 visible ASCII characters without spaces');
}

const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Reads RFC 3339 with seconds and an offset, from 1970 to 9999, in milliseconds. */
export function time(text: string): Field<number> {
  const match = timePattern.exec(text);
  const at = match === null ? Number.NaN : Date.parse(text);
  // Date.parse reads 31 February as 3 March.
  const realDay = match !== null && Number(match[3]) <= daysOfMonth(Number(match[1]), Number(match[2]));
  return realDay && at >= 0 && at <= 253_402_300_799_999
    ? valid(at)
    : invalid('must be a time in RFC 3339, such as 2027-01-31T12:00:00Z');
}

/** Reads YYYY-MM-DD. */
export function date(text: string): Field<string> {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse reads 31 February as 3 March.
  const realDay = !Number.isNaN(at) && timeText(at).startsWith(text);
  return realDay ? valid(text) : invalid('must be a day as YYYY-MM-DD');
}

function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function timeText(at: number): string {
  return new Date(at).toISOString();
}

export function modelGlob(text: string): Field<string> {
  if (containsCredential(text)) return invalid(noCredential);
  return isModelGlob(text)
    ? valid(text)
    : invalid('must be a glob over <provider>/<model>, such as gpt-provider/gpt-4o*, without spaces');
}

/** Globs without repetitions; an empty list allows all models. */
export function modelGlobs(list: { readonly globs: readonly string[] }): Field<readonly string[]> {
  if (list.globs.length > globsMax) return invalid(`must contain at most ${globsMax} globs`, '.globs');
  const read = each(modelGlob, list.globs);
  return 'problems' in read ? { problems: problemsAt('.globs', read) } : valid([...new Set(read.value)]);
}

export function metadata(message: {
  readonly entries: Readonly<Record<string, string>>;
}): Field<Readonly<Record<string, string>>> {
  const entries = Object.entries(message.entries);
  if (entries.length > metadataEntriesMax) {
    return invalid(`must contain at most ${metadataEntriesMax} entries`, '.entries');
  }
  const problems = entries.flatMap(([key, value]) => metadataProblems(key, value));
  return problems.length > 0
    ? { problems }
    : valid(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

export function isMetadataName(text: string): boolean {
  return text.length <= metadataKeyLengthMax && metadataKeyPattern.test(text);
}

function metadataProblems(key: string, value: string): Problem[] {
  if (containsCredential(key)) return [{ at: '.entries', description: noCredential }];
  if (containsCredential(value)) return [{ at: `.entries[${key}]`, description: noCredential }];
  if (!isMetadataName(key)) {
    const description = `keys must be 1 to ${metadataKeyLengthMax} of A-Z a-z 0-9 . _ / -, beginning with a letter or digit`;
    return [{ at: '.entries', description }];
  }
  if ([...value].length > metadataValueLengthMax || /[\p{Cc}\p{Cs}]/u.test(value)) {
    const description = `must be at most ${metadataValueLengthMax} characters without control characters`;
    return [{ at: `.entries[${key}]`, description }];
  }
  return [];
}

/** The weight of organizations and keys that was never set. */
export const usualWeight = 100;

export function weight(value: number): Field<number> {
  return within(1, 1000)(value);
}

/** Reads a whole number within bounds. */
export function within(min: number, max: number): (value: number) => Field<number> {
  return (value) =>
    Number.isInteger(value) && value >= min && value <= max
      ? valid(value)
      : invalid(`must be a whole number from ${min} to ${max}`);
}
