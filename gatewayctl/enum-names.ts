// Converts the contract's names to the form that people read and type: "ROLE_PLATFORM_OPERATOR" becomes
// "platform-operator", "endsAt" becomes "ends at".
import { enumNamed, enumNames, enumTypes, enumWord } from '../proto/json/contract.ts';

/** The values of an enum; undefined if the type is not an enum. */
export function choicesOf(type: string): readonly string[] | undefined {
  return enumNames(type)?.map((name) => enumWord(type, name));
}

/**
 * "platform-operator" → "ROLE_PLATFORM_OPERATOR". Any other text is returned unchanged, so that the request's check
 * refuses it.
 */
export function enumName(type: string, word: string): string {
  return enumNamed(type, word.toLowerCase().replaceAll('_', '-')) ?? word;
}

/** For a value such as "BUDGET_PERIOD_DAY" whose enum is not known; undefined if the contract has no such value. */
export function enumWords(name: string): string | undefined {
  const type = enumTypes().find((one) => enumNames(one)?.includes(name));
  return type === undefined ? undefined : enumWord(type, name);
}

export function fieldWords(path: string): string {
  return path
    .replaceAll('.', ' ')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\busd\b/g, 'USD')
    .replace(/\bai\b/g, 'AI');
}
