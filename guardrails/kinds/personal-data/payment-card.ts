// Payment card numbers: an issuer's prefix and length, and Luhn's check. Without separators, in the groups that are
// printed on cards, or digit by digit. Numbers of 13 digits (only old cards, but every article number) and cards of
// airlines require a word before them.
import { blank, dash, matchAt, type NumberType, type Position, pattern, withoutSeparators } from './number-type.ts';

/**
 * Prefixes and lengths: ISO/IEC 7812-1, and what the networks publish for merchants
 * (en.wikipedia.org/wiki/Payment_card_number).
 */
const issuers: readonly (readonly [network: string, prefix: RegExp, lengths: readonly number[]])[] = [
  ['Visa', /^4/, [13, 16, 19]],
  ['Mastercard', /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  ['American Express', /^3[47]/, [15]],
  ['Diners Club', /^(?:30[0-5]|309|3[689])/, [14, 16]],
  ['Discover', /^(?:6011|64[4-9]|65)/, [16, 19]],
  ['JCB', /^35(?:2[89]|[3-8])/, [16, 19]],
  ['UnionPay', /^62/, [16, 17, 18, 19]],
  ['Maestro', /^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]],
  ['Mir', /^220[0-4]/, [16, 17, 18, 19]],
  ['RuPay', /^(?:60|81|82|508)/, [16]],
  ['Troy', /^9792/, [16]],
  ['Dankort', /^5019/, [16]],
  ['UATP', /^1/, [15]],
];

const digitsMin = 13;
const separator = `[${blank}${dash}.]`;
const forms = [
  '\\d{13,19}',
  `\\d{4}(${separator})\\d{4}\\1\\d{4}\\1\\d{4}\\1\\d{3}`,
  `\\d{4}(${separator})\\d{4}\\1\\d{4}\\1\\d{4}(?!\\1\\d{4})`,
  `\\d{4}(${separator})\\d{6}\\1\\d{4,5}`,
  `(?<!\\d${separator})\\d(${separator})\\d(?:\\1\\d){11,17}`,
].map((form) => pattern(form));

const fourBefore = new RegExp(`(?<![\\d${dash}.])\\d{4}${separator}$`);

const cardWord = /(?:card|karte|carte|tarjeta|carta|kaart|cart[aã]o|visa|pan|kort)[^\d\n]{0,16}$/i;

export const paymentCard: NumberType = {
  label: 'PAYMENT_CARD',
  find(position) {
    if (position.digits < digitsMin) return undefined;
    const start = position.at;
    for (const form of forms) {
      const end = matchAt(form, position, start);
      if (end === undefined || isOfLonger(position, start)) continue;
      const digits = withoutSeparators(position.text.slice(start, end));
      if (isCommon(digits) && !cardWord.test(position.before(start))) continue;
      if (isCard(digits)) return { start, end };
    }
    return undefined;
  },
};

/** Article numbers and times in seconds have the same form. */
function isCommon(digits: string): boolean {
  return digits.length === digitsMin || digits.startsWith('1');
}

/**
 * Whether four digits precede the number with the same separator as between its groups. It is then part of a longer
 * number, unless those digits end a number in other groups.
 */
function isOfLonger(position: Position, start: number): boolean {
  const own = position.text.charAt(start + 4);
  return own === position.text.charAt(start - 1) && fourBefore.test(position.before(start));
}

function isCard(digits: string): boolean {
  const known = issuers.some(([, prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits));
  return known && hasLuhnCheck(digits);
}

function hasLuhnCheck(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
