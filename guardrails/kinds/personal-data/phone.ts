// Phone numbers, verified with libphonenumber's numbering plans: with "+" or "00" and a country code, or in the home
// country's national format with trunk prefix and groups; ungrouped numbers need that prefix or a word before them. The
// complete plans ("max", 152 KB of a bundle) are used: the small ones (81 KB) accept nearly any number of a possible
// length, such as ids and prices; the mobile ones (97 KB) only mobile numbers. A call takes about 15 µs, so the library
// only gets numbers whose length exists in their country.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { blank, dash, endsHere, type NumberType, type Position, type Span, startsHere } from './number-type.ts';
import { isOfThingOrRecord } from './other-number.ts';

/** Possible lengths of national numbers. */
type Lengths = ReadonlySet<number>;

interface Candidate {
  /** Includes "+" and brackets. */
  readonly start: number;
  readonly isInternational: boolean;
  readonly groups: readonly Span[];
}

const digitsMin = 7;
const digitsMax = 17;
const groupsMax = 9;
/** Groups at the end that may not belong to the number; this many ends are tried. */
const endsMax = 4;

/** @param countries ISO 3166-1 alpha-2; numbers of these countries need no country code */
export function phoneOf(countries: readonly string[]): NumberType {
  const known = countries.filter((country) => isSupportedCountry(country));
  return {
    label: 'PHONE',
    find(position) {
      const candidate = position.digits < digitsMin ? undefined : candidateAt(position);
      if (candidate === undefined) return undefined;
      return ends(position, candidate)
        .map((end) => ({ start: startOf(position.text, candidate, end), end }))
        .find((span) => isPhone(position, candidate, span, known));
    },
  };
}

const starting = new RegExp(startsHere, 'y');
const group = /\d{1,18}/y;
// No two of its parts can match the same character, so there is only one way to match.
const gap = new RegExp(`\\)?[${blank}]?[${dash}./]?[${blank}]?\\(?(?=\\d)`, 'y');
const laterGap = new RegExp(`\\)?[${blank}]?[${dash}.]?[${blank}]?(?=\\d)`, 'y');

/** @returns undefined if there are too few digits, or this is the rest of a longer number in the same groups */
function candidateAt({ text, at, from }: Position): Candidate | undefined {
  let start = at;
  while (start > from && at - start < 2 && '+('.includes(text.charAt(start - 1))) start--;
  const isInternational = text.slice(start, at).includes('+');
  starting.lastIndex = start;
  if (!starting.test(text)) return undefined;
  const groups: Span[] = [];
  let digits = 0;
  for (let next: number | undefined = at; next !== undefined && digits < digitsMax; ) {
    const end: number = stickyEnd(group, text, next) ?? next;
    if (next === at && start === at && isJoined(text, start, end)) return undefined;
    digits += end - next;
    groups.push({ start: next, end });
    next = groups.length < groupsMax ? stickyEnd(groups.length === 1 ? gap : laterGap, text, end) : undefined;
  }
  return digits < digitsMin ? undefined : { start, isInternational, groups };
}

/** Whether the separator before a group is the same as after it, with a digit before that separator. */
function isJoined(text: string, start: number, end: number): boolean {
  return text.charAt(start - 1) === text.charAt(end) && /\d/.test(text.charAt(start - 2));
}

function stickyEnd(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}

const currencyBefore = /[€$£¥₹#]\s?$/;
const unitBehind =
  /\s?(?:[€$£¥₹%°]|(?:EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|JPY|INR|BRL|kr|km|kg|mm|MB|GB|ms|px)(?![A-Za-z]))/y;

/** Whether the text before identifies the number as something else. */
function isOfOther(position: Position, { start, end }: Span): boolean {
  const before = position.before(start);
  if (currencyBefore.test(before) || isOfThingOrRecord(before)) return true;
  return /[A-Z]{2}\s{1,8}$/.test(before) && /^\d{5}-\d{4}$/.test(position.text.slice(start, end));
}

const ending = new RegExp(`(?=x\\d)|${endsHere}`, 'y');

/** The possible ends of the number, the longest first. */
function ends({ text, to }: Position, { groups, isInternational }: Candidate): readonly number[] {
  const tried: number[] = [];
  let digits = 0;
  for (const { start, end } of groups) {
    digits += end - start;
    ending.lastIndex = end;
    const isEnd = digits >= digitsMin && digits <= digitsMax && end <= to && ending.test(text);
    const isMeasure = !isInternational && stickyEnd(unitBehind, text, end) !== undefined;
    if (isEnd && !isMeasure) tried.unshift(end);
  }
  return tried.slice(0, endsMax);
}

/** The start, without a bracket that is not closed within the number. */
function startOf(text: string, { start }: Candidate, end: number): number {
  return text.charAt(start) === '(' && !text.slice(start, end).includes(')') ? start + 1 : start;
}

const phoneWord =
  /(?:phone|fon|mobile?|mob|cell|fax|call|sms|whats ?app|handy|rufnummer|portable|movil|celular|komork\w{0,3}|电话|电話|電話|携帯|手机|전화|휴대|телефон|моб)\w{0,8}[^\d\nA-Za-z]{0,10}$|(?<![a-z])(?:tel[a-z]{0,6}|[tmpf])[^\d\n\p{L}]{1,8}$/iu;

function isPhone(position: Position, candidate: Candidate, span: Span, countries: readonly CountryCode[]): boolean {
  const number = position.text.slice(span.start, span.end);
  const digits = number.replace(/\D/g, '');
  if (candidate.isInternational) return isOfPlan(number, digits);
  const groups = candidate.groups.filter(({ end }) => end <= span.end);
  const hasWord = () => phoneWord.test(position.before(span.start));
  if (digits.startsWith('00')) {
    const isReported = groups.length > 1 || !digits.startsWith('001') || hasWord();
    return isReported && isOfPlan(`+${number.replace(/^\(?00/, '')}`, digits.slice(2));
  }
  const homes = countries.filter((country) => hasLengthOf(country, digits));
  if (homes.length === 0) return false;
  const isWritten = isWrittenAsPhone(number, digits, groups);
  if (isWritten ? isOfOther(position, span) : !hasWord()) return false;
  return homes.some((home) => {
    const parsed = parsePhoneNumberFromString(number, { defaultCountry: home, extract: false });
    if (parsed === undefined || parsed.ext !== undefined || !parsed.isValid()) return false;
    return !isWritten || isInOwnForm(parsed, number) || hasWord();
  });
}

type Parsed = NonNullable<ReturnType<typeof parsePhoneNumberFromString>>;

/**
 * Whether the number is in national format: with the trunk prefix if the country has one; in the "1" plan in groups of
 * 3, 3 and 4.
 */
function isInOwnForm(phone: Parsed, number: string): boolean {
  if (phone.countryCallingCode === '1') return /^\D?(?:1\D+)?\d{3}\D+\d{3}\D+\d{4}$/.test(number);
  const forms = [phone.formatNational(), phone.formatNational({ nationalPrefix: false })];
  const digits = number.replace(/\D/g, '');
  return forms.some((form) => form.replace(/\D/g, '') === digits);
}

// Groups that look like dates, decimals or thousands.
const date = new RegExp(
  `^(?:(?:0?[1-9]|[12]\\d|3[01])([${dash}./])(?:0?[1-9]|[12]\\d|3[01])\\1(?:19|20)?\\d{2}(?![${dash}./]?\\d)|(?:19|20)\\d{2}[${dash}./](?:0[1-9]|1[0-2])(?!\\d)|(?:19|20)\\d{2}[${dash}${blank}/](?:19|20)\\d{2}(?!\\d))`,
);
const decimal = /^\d+\.\d+$/;
const thousands = /^\d{1,3}(?:\.\d{3})+$/;
const isbn = /^97[89]/;

function isWrittenAsPhone(number: string, digits: string, groups: readonly Span[]): boolean {
  if (groups.length === 1) return /^0[1-9]\d{8,9}$/.test(digits);
  if (date.test(number) || decimal.test(number) || thousands.test(number)) return false;
  if (digits.length === 13 && isbn.test(digits)) return false;
  return groups.every(({ start, end }, index) => index === 0 || end - start > 1);
}

/** By calling code. No calling code is a prefix of another. */
const plans = new Map<string, Set<number>>();
const homes = new Map<CountryCode, Lengths>();
for (const country of getCountries()) {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const lengths = metadata.numberingPlan?.possibleLengths() ?? [];
  homes.set(country, new Set(lengths));
  const code = getCountryCallingCode(country);
  plans.set(code, new Set([...(plans.get(code) ?? []), ...lengths]));
}

/** Allows a trunk prefix of one or two digits. */
function hasLengthOf(home: CountryCode, digits: string): boolean {
  const lengths = homes.get(home);
  return [0, 1, 2].some((prefix) => lengths?.has(digits.length - prefix));
}

function isOfPlan(number: string, digits: string): boolean {
  const code = [1, 2, 3].map((length) => digits.slice(0, length)).find((start) => plans.has(start));
  if (code === undefined) return false;
  const lengths = plans.get(code);
  const length = digits.length - code.length - (number.includes('(0)') ? 1 : 0);
  if (!lengths?.has(length)) return false;
  const parsed = parsePhoneNumberFromString(number, { extract: false });
  return parsed?.ext === undefined && parsed?.isValid() === true;
}
