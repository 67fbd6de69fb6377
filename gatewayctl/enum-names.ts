// The contract's names as people read and type them: "ROLE_PLATFORM_OPERATOR" is "platform-operator", "endsAt" is "ends at".
import { enumNames, enumTypes } from '../proto/json/contract.ts';

/** Of an enum's values; undefined if the type is no enum. */
export function choicesOf(type: string): readonly string[] | undefined {
  return enumNames(type)?.map((name) => enumWord(type, name));
}

export function enumWord(type: string, name: string): string {
  const prefix = enumPrefix(type);
  return (name.startsWith(prefix) ? name.slice(prefix.length) : name).toLowerCase().replaceAll('_', '-');
}

/** "platform-operator" → "ROLE_PLATFORM_OPERATOR". */
export function enumName(type: string, word: string): string {
  return enumPrefix(type) + word.toUpperCase().replaceAll('-', '_');
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

function enumPrefix(type: string): string {
  return `${type.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_`;
}
