// National ids of persons, one row each with form and check. All rows always apply, wherever the organization is,
// because its texts may contain ids of anybody. A bare run of digits is not enough if its check passes one in ten; then
// a word before it is required. The checks come from stdnum: no dependencies, maintained, 44 KB of a bundle for these
// countries. Its modules for bundlers do not load in Node, hence lib/cjs.
import { validate as isCpf } from 'stdnum/lib/cjs/br/cpf.js';
import { validate as isIdnr } from 'stdnum/lib/cjs/de/idnr.js';
import { validate as isDni } from 'stdnum/lib/cjs/es/dni.js';
import { validate as isNie } from 'stdnum/lib/cjs/es/nie.js';
import { validate as isNir } from 'stdnum/lib/cjs/fr/nir.js';
import { validate as isNino } from 'stdnum/lib/cjs/gb/nino.js';
import { validate as isCodiceFiscale } from 'stdnum/lib/cjs/it/codicefiscale.js';
import { validate as isBsn } from 'stdnum/lib/cjs/nl/bsn.js';
import { validate as isPesel } from 'stdnum/lib/cjs/pl/pesel.js';
import { validate as isPersonnummer } from 'stdnum/lib/cjs/se/personnummer.js';
import { validate as isSsn } from 'stdnum/lib/cjs/us/ssn.js';
import {
  blank,
  dash,
  isLetter,
  matchAt,
  type NumberType,
  type Position,
  pattern,
  type Span,
  withoutSeparators,
} from './number-type.ts';
import { isOfThing } from './other-number.ts';

interface NationalId {
  readonly name: string;
  /** Possible numbers of units before the first digit. */
  readonly leads: readonly number[];
  /** Minimum of digits in the first run of digits and separators. */
  readonly digits: number;
  /** A form that is sufficient without a word before it. */
  readonly form?: RegExp;
  /** Part and order numbers have the same form, so a word that indicates one excludes it. */
  readonly isCommon?: true;
  /** A form that requires a word before it. */
  readonly bare?: RegExp;
  readonly word?: RegExp;
  /** @param number in capitals, without blanks, dots, dashes and slashes */
  isValid(number: string): boolean;
}

const s = `[${blank}${dash}.]`;

const ids: readonly NationalId[] = [
  {
    name: 'US social security number',
    leads: [0],
    digits: 9,
    form: pattern(`\\d{3}([${dash}])\\d{2}\\1(?!0000)\\d{4}`),
    isCommon: true,
    bare: pattern(`\\d{3}${s}?\\d{2}${s}?(?!0000)\\d{4}`),
    word: word('ssn|social security'),
    isValid: (number) => isSsn(number).isValid,
  },
  {
    name: 'UK national insurance number',
    leads: [2, 3],
    digits: 6,
    form: pattern(`[A-Z]{2}(${s}?)(?:\\d{6}|\\d{2}\\1\\d{2}\\1\\d{2})\\1[A-D]`),
    bare: pattern(`[A-Z]{2}${s}?\\d{2}${s}?\\d{2}${s}?\\d{2}${s}?[A-D]`, 'i'),
    word: word('nino|ni (?:no|number)|national insurance'),
    isValid: (number) => isNino(number).isValid,
  },
  {
    name: 'German Steuer-ID',
    leads: [0],
    digits: 11,
    form: pattern('\\d{2} \\d{3} \\d{3} \\d{3}'),
    bare: pattern(`\\d{2}[/${blank}${dash}]?\\d{3}[/${blank}${dash}]?\\d{3}[/${blank}${dash}]?\\d{3}`),
    word: word('steuer\\W?id|steueridentifikation|idnr|id-nr|tax id|tin'),
    isValid: (number) => isIdnr(number).isValid,
  },
  {
    name: 'French NIR',
    leads: [0],
    digits: 5,
    form: pattern(
      `[1-478](${s}?)\\d{2}\\1(?:0[1-9]|1[0-2]|[2-9]\\d)\\1(?:\\d{2}|2[AB])\\1\\d{3}\\1\\d{3}(?:\\1|${s})\\d{2}`,
    ),
    isValid: (number) => isNir(number).isValid,
  },
  {
    name: 'Spanish DNI',
    leads: [0],
    digits: 8,
    form: pattern(`(?:\\d{8}|\\d{2}\\.\\d{3}\\.\\d{3})[${dash}]?[A-Z]`),
    bare: pattern(`(?:\\d{8}|\\d{2}\\.\\d{3}\\.\\d{3})${s}?[a-z]`, 'i'),
    word: word('dni|nif'),
    isValid: (number) => isDni(number).isValid,
  },
  {
    name: 'Spanish NIE',
    leads: [1, 2],
    digits: 7,
    form: pattern(`[XYZ][${dash}]?\\d{7}[${dash}]?[A-Z]`),
    bare: pattern(`[XYZ]${s}?\\d{7}${s}?[A-Z]`, 'i'),
    word: word('nie|nif'),
    isValid: (number) => isNie(number).isValid,
  },
  {
    name: 'Italian codice fiscale',
    leads: [6],
    digits: 2,
    form: pattern('[A-Z]{6}\\d{2}[A-Z]\\d{2}[A-Z]\\d{3}[A-Z]', 'i'),
    isValid: (number) => isCodiceFiscale(number).isValid,
  },
  {
    name: 'Dutch BSN',
    leads: [0],
    digits: 9,
    bare: pattern(`\\d{9}|\\d{3}${s}\\d{3}${s}\\d{3}|\\d{4}${s}\\d{2}${s}\\d{3}`),
    word: word('bsn|burgerservice\\w*|sofi\\w*'),
    isValid: (number) => isBsn(number).isValid,
  },
  {
    name: 'Swedish personnummer',
    leads: [0],
    digits: 10,
    form: pattern(`(?:19|20)?\\d{6}[${dash}+]\\d{4}`),
    bare: pattern('(?:19|20)?\\d{10}'),
    word: word('personn\\w*|pnr|samordningsn\\w*|personal identity (?:code|no|number)|swedish id(?: code)?'),
    isValid: (number) => isPersonnummer(number.replace(/\+?(\d{4})$/, '-$1')).isValid,
  },
  {
    name: 'Polish PESEL',
    leads: [0],
    digits: 11,
    bare: pattern('\\d{11}'),
    word: word('pesel\\w*'),
    isValid: (number) => isPesel(number).isValid,
  },
  {
    name: 'Brazilian CPF',
    leads: [0],
    digits: 11,
    form: pattern(`\\d{3}\\.\\d{3}\\.\\d{3}[${dash}]\\d{2}`),
    bare: pattern(`\\d{3}${s}?\\d{3}${s}?\\d{3}${s}?\\d{2}`),
    word: word('cpf'),
    isValid: (number) => isCpf(number).isValid,
  },
];

export const nationalId: NumberType = {
  label: 'NATIONAL_ID',
  find(position) {
    for (const id of ids) {
      const found = findId(position, id);
      if (found !== undefined) return found;
    }
    return undefined;
  },
};

function findId(position: Position, id: NationalId): Span | undefined {
  if (position.digits < id.digits) return undefined;
  for (const lead of id.leads) {
    const start = position.at - lead;
    if (lead > 0 && !isLed(position, start)) continue;
    const end = endOfForm(position, id, start) ?? endOfBare(position, id, start);
    if (end === undefined) continue;
    const number = withoutSeparators(position.text.slice(start, end)).toUpperCase();
    // Masks and examples repeat one character; some of them pass a check.
    if (!/^(.)\1+$/.test(number) && id.isValid(number)) return { start, end };
  }
  return undefined;
}

/** Whether only letters precede the digits; the last unit before them may be a separator. */
function isLed({ text, at }: Position, start: number): boolean {
  for (let unit = start; unit === start || unit < at - 1; unit++) if (!isLetter(text.charCodeAt(unit))) return false;
  return true;
}

function endOfForm(position: Position, { form, isCommon }: NationalId, start: number): number | undefined {
  const end = form && matchAt(form, position, start);
  return end !== undefined && isCommon && isOfThing(position.before(start)) ? undefined : end;
}

function endOfBare(position: Position, { bare, word: named }: NationalId, start: number): number | undefined {
  const end = bare && matchAt(bare, position, start);
  return end !== undefined && named?.test(position.before(start)) ? end : undefined;
}

/** One of the words within reach before a number, without another number between them. */
function word(words: string): RegExp {
  return new RegExp(`(?<![a-z])(?:${words})(?![a-z])[^\\d\\n]{0,24}$`, 'i');
}
