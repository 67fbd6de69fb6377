// Personal data with a recognizable form: e-mail addresses and numbers. More specific types take precedence, so that a
// card number is never a phone number, even if cards are not looked for.
// A text in pieces gives the same matches as the whole, because a match depends only on nearby text: an e-mail address
// on the run of its own characters, a number on `reachMax` units after its first digit. In an incomplete text, anything
// within reach of the end is undecided, unless a blank shows that it has ended.
import type { PersonalDataType } from '../../proto/words/guardrails.ts';
import type { PersonalDataCheck } from '../definition.ts';
import { contextMax } from '../fold.ts';
import type { Finding, Inspected, InspectedText, Matcher } from '../matcher.ts';
import { type Emails, findEmails } from './personal-data/email.ts';
import { iban } from './personal-data/iban.ts';
import { ipAddress } from './personal-data/ip-address.ts';
import { nationalId } from './personal-data/national-id.ts';
import { blank, dash, type NumberType, type Position, reachMax, type Span } from './personal-data/number-type.ts';
import { paymentCard } from './personal-data/payment-card.ts';
import { phoneOf } from './personal-data/phone.ts';
import { findWrapped, lineEndWithin, lineMax } from './personal-data/wrapped.ts';

type NumberData = Exclude<PersonalDataType, 'email'>;

/** In order of precedence. */
const numberTypes = [
  ['iban', () => iban],
  ['ip_address', () => ipAddress],
  ['payment_card', () => paymentCard],
  ['national_id', () => nationalId],
  ['phone', ({ countries }) => phoneOf(countries)],
] as const satisfies readonly (readonly [NumberData, (check: PersonalDataCheck) => NumberType])[];

interface PersonalMatch extends Span {
  /** Only for a number. */
  readonly type?: NumberType;
  /** Undefined: the type is not looked for. */
  readonly label: string | undefined;
}

interface Scan {
  readonly found: readonly PersonalMatch[];
  /** Anything that starts here or later is undecided. */
  readonly open: number;
}

export function compilePersonalData(check: PersonalDataCheck): Matcher {
  const isWanted = (type: PersonalDataType) => check.types.includes(type);
  const needed = numberTypes.slice(0, numberTypes.findLastIndex(([type]) => isWanted(type)) + 1);
  const types = needed.map(([type, make]) => ({ type: make(check), isWanted: isWanted(type) }));
  const emailLabel = isWanted('email') ? 'EMAIL' : undefined;
  return {
    // Measured on consecutive telephone numbers; prose costs 2.
    cost: 1_600,
    likelyCost: 60,
    inspect(text, from, window) {
      const first = text.folded.foldedAt(from);
      const scan = scanFrom(first, text);
      const mayWait = text.isEnd || text.isPart === true;
      const isOverdue = !mayWait && text.folded.rawAt(scan.open) <= text.raw.length - window;
      // After a full window the text is scanned as if it ended here, no matter how much invisible text follows.
      const { found } = isOverdue ? scanFrom(first, { ...text, isEnd: true }) : scan;
      return inBounds(text, { found, open: scan.open }, from, window);
    },
  };

  function scanFrom(first: number, text: InspectedText): Scan {
    const emails = findEmails(text.folded.text, first, text.isEnd);
    const numbers = types.length === 0 ? noNumbers(text) : findNumbers(text, first, emails, types);
    const found = [...emails.found.map((span) => ({ ...span, label: emailLabel })), ...numbers.found];
    return { found, open: Math.min(emails.open, numbers.open) };
  }
}

interface Wanted {
  readonly type: NumberType;
  readonly isWanted: boolean;
}

function noNumbers({ folded }: InspectedText): Scan {
  return { found: [], open: folded.text.length };
}

function findNumbers({ folded, isEnd }: InspectedText, first: number, emails: Emails, types: readonly Wanted[]): Scan {
  const { text } = folded;
  const found: PersonalMatch[] = [];
  const before = (start: number) => text.slice(folded.foldedAt(Math.max(0, folded.rawAt(start) - contextMax)), start);
  digit.lastIndex = first;
  let from = first;
  let next = 0;
  const isNearLineEnd = lineEnds(text, first);
  while (digit.test(text)) {
    const at = digit.lastIndex - 1;
    digit.lastIndex = endOfDigits(text, at);
    while ((emails.found[next]?.end ?? text.length) <= at) from = Math.max(from, emails.found[next++]?.end ?? 0);
    const email = emails.found[next];
    if (email !== undefined && email.start <= at) {
      digit.lastIndex = email.end;
      continue;
    }
    if (!isEnd && isOpen(text, at, emails.open)) return { found, open: startOfWord(text, at, from) };
    const to = email?.start ?? text.length;
    const position = { text, at, from, to, digits: digitsFrom(text, at), before };
    const span = findAt(position, types) ?? (isNearLineEnd(at) ? findOverLineEnd(position, types) : undefined);
    if (span === undefined) continue;
    found.push(span);
    from = span.end;
    digit.lastIndex = span.end;
  }
  return { found, open: isEnd ? text.length : startOfWord(text, text.length, from) };
}

const digit = /\d/g;

function endOfDigits(text: string, at: number): number {
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 48 && code < 58;
}

function findAt(position: Position, types: readonly Wanted[]): PersonalMatch | undefined {
  for (const { type, isWanted } of types) {
    const span = type.find(position);
    if (span !== undefined) return { ...span, type, label: isWanted ? type.label : undefined };
  }
  return undefined;
}

/**
 * @returns a function that tests whether a line ends so close after a position that a number may cross it; call it with
 * ascending positions
 */
function lineEnds(text: string, from: number): (at: number) => boolean {
  let next = text.indexOf('\n', from);
  return (at) => {
    while (next !== -1 && next < at) next = text.indexOf('\n', next + 1);
    return next !== -1 && next - at <= lineMax;
  };
}

function findOverLineEnd(position: Position, types: readonly Wanted[]): PersonalMatch | undefined {
  const isInternational = position.text.charAt(position.at - 1) === '+';
  const found = findWrapped(position, (unwrapped) =>
    findAt({ ...unwrapped, digits: digitsFrom(unwrapped.text, unwrapped.at) }, types),
  );
  if (found?.type === undefined || found.type === ipAddress) return undefined;
  return found.type.label === 'PHONE' && !isInternational ? undefined : found;
}

/** Counts digits that follow one another with only separators between them, up to the number that any type needs. */
function digitsFrom(text: string, at: number): number {
  let digits = 0;
  let last = at;
  for (let i = at; i < text.length && i - last < separatorsMax + 1 && digits < digitsEnough; i++) {
    const code = text.charCodeAt(i);
    if (isDigit(code)) {
      digits++;
      last = i;
    } else if (!isSeparator(code) || (code === plus && last < i - 1)) break;
  }
  return digits;
}

const separatorsMax = 5;
const digitsEnough = 13;
const plus = 43;

function isSeparator(code: number): boolean {
  return code === 32 || (code >= 40 && code <= 47 && code !== 42) || (code >= 0xa0 && code < 0x2213);
}

/** Units after a run that may decide whether it is a number. */
const behind = 6;
const separators = `[${blank}${dash}./()+,]`;
// Each part begins with a character that the previous part cannot match, so there is only one way to match.
const gap = `(?:${separators}{1,${separatorsMax}}|${separators}?${lineEndWithin})`;
const run = new RegExp(`^[0-9A-Za-z:]+(?:${gap}(?=\\d)[0-9A-Za-z:]+)*`);
const accountRun = new RegExp(`^(?:(?:${separators}|${lineEndWithin})?[0-9A-Za-z])+`);
const accountStart = /^[A-Za-z]{2}\d{2}/;

/** Whether later text may change the result at this number. */
function isOpen(text: string, at: number, openEmail: number): boolean {
  const reach = at + reachMax;
  if (reach + behind <= text.length && reach < openEmail) return false;
  const near = text.slice(at, reach);
  const isAccount = accountStart.test(text.slice(Math.max(0, at - 2), at + 2));
  const length = Math.max(lengthOf(run, near), isAccount ? lengthOf(accountRun, near) : 0);
  return at + length + behind > text.length || at + length >= openEmail;
}

function lengthOf(beginning: RegExp, text: string): number {
  return beginning.exec(text)?.[0].length ?? 0;
}

/** Where a number may begin that continues at `at`: with letters, colons, a plus or a bracket. */
function startOfWord(text: string, at: number, from: number): number {
  let start = at;
  const first = Math.max(from, at - startMax);
  while (start > first && /[A-Za-z:+(]/.test(text.charAt(start - 1))) start--;
  return start === at ? startOfParted(text, at, from) : start;
}

/** The longest beginning of an IPv6 address without a digit. */
const startMax = 45;
const partedStart = new RegExp(`(?<![0-9A-Za-z])[A-Za-z]{1,2}[${blank}${dash}.]$`);

/** Letters that a separator divides from the digits: "AB 12 34 56 C". */
function startOfParted(text: string, at: number, from: number): number {
  const parted = partedStart.exec(text.slice(Math.max(0, at - 4), at));
  return Math.max(from, at - (parted?.[0].length ?? 0));
}

function inBounds(
  { raw, folded, isEnd, isPart }: InspectedText,
  { found, open }: Scan,
  from: number,
  window: number,
): Inspected {
  const earliest = isEnd ? raw.length : isPart ? from : Math.max(from, raw.length - window + 1);
  const decided = Math.max(earliest, folded.rawAt(open));
  const findings: Finding[] = [];
  for (const { start, end, label } of [...found].sort((a, b) => a.start - b.start)) {
    const finding = label && { start: folded.rawAt(start), end: folded.rawEnd(end), label };
    if (!finding || finding.start >= decided || finding.start < from) continue;
    if (isEnd || isPart || finding.end - finding.start <= window) findings.push(finding);
  }
  return { findings, decided };
}
