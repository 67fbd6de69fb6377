// The contract's names as people read and type them: "ROLE_PLATFORM_OPERATOR" is "platform-operator", "endsAt" is "ends at".
import { enumNamed, enumNames, enumTypes, enumWord } from '../proto/json/contract.ts';

/** Of an enum's values; undefined if the type is no enum. */
export function choicesOf(type: string): readonly string[] | undefined {
  return enumNames(type)?.map((name) => enumWord(type, name));
}

/** "platform-operator" → "ROLE_PLATFORM_OPERATOR"; what is no word of the type is returned unchanged, for the request's check to refuse. */
export function enumName(type: string, word: string): string {
  return enumNamed(type, word.toLowerCase().replaceAll('_', '-')) ?? word;
}

/** Of a value whose enum is not known, "BUDGET_PERIOD_DAY"; undefined if the contract has no such value. */
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
