// The kinds of checks that have a form here; kinds that are newer than this page are written as JSON.
import type {
  Guardrail,
  GuardrailCheck,
  GuardrailCheckInput,
  PersonalDataTypeInput,
} from '../../../generated/contract.ts';
import { listOf } from '../../ui/format.ts';
import { type CallFields, type CallKind, callCheckOf, callFieldsOf, callKinds, newCall } from './service-kinds.ts';

export const personalDataTypes = [
  { id: 'email', name: 'E-mail addresses' },
  { id: 'phone', name: 'Phone numbers' },
  { id: 'payment-card', name: 'Payment cards' },
  { id: 'iban', name: 'IBANs' },
  { id: 'national-id', name: 'National ids' },
  { id: 'ip-address', name: 'IP addresses' },
] as const satisfies readonly { readonly id: PersonalDataTypeInput; readonly name: string }[];

export const kinds = [
  { id: 'words', name: 'Phrases' },
  { id: 'pattern', name: 'Regular expressions' },
  { id: 'personalData', name: 'Personal data' },
  { id: 'secrets', name: 'Secrets' },
  { id: 'promptSize', name: 'Size of the prompt' },
  ...callKinds,
  { id: 'json', name: 'Another kind, as JSON' },
] as const;

export type Kind = (typeof kinds)[number]['id'];

export interface CheckFields {
  readonly kind: Kind;
  /** Phrases or expressions, one to a line. */
  readonly lines: string;
  readonly withinWords: boolean;
  readonly types: readonly string[];
  readonly countries: string;
  readonly restore: boolean;
  readonly tokensMax: string;
  readonly json: string;
  /** Of the kinds that call something. */
  readonly call: CallFields;
}

export function isCallKind(kind: Kind): kind is CallKind {
  return callKinds.some(({ id }) => id === kind);
}

const otherKinds = `{\n  "webhook": { "url": "https://checks.example.com/inspect" }\n}`;

export const newCheck: CheckFields = {
  kind: 'personalData',
  lines: '',
  withinWords: false,
  types: [],
  countries: 'US',
  restore: false,
  tokensMax: '20000',
  json: otherKinds,
  call: newCall,
};

export function kindOf(check: GuardrailCheck | undefined): Kind {
  return kinds.find(({ id }) => id !== 'json' && check?.[id] !== undefined)?.id ?? 'json';
}

export function fieldsOfCheck({ check }: Guardrail): CheckFields {
  const kind = kindOf(check);
  const { words, pattern, personalData, promptSize } = check ?? {};
  return {
    kind,
    lines: (words?.phrases ?? pattern?.patterns ?? []).join('\n'),
    withinWords: words?.withinWords ?? false,
    types: personalDataTypes
      .filter(({ id }) => personalData?.types.some((type) => type.endsWith(id.toUpperCase().replace('-', '_'))))
      .map(({ id }) => id),
    countries: personalData?.countries.join(', ') ?? '',
    restore: personalData?.restore ?? false,
    tokensMax: String(promptSize?.tokensMax ?? 0),
    json: kind === 'json' ? JSON.stringify(check, null, 2) : otherKinds,
    call: callFieldsOf(check),
  };
}

/** @param before the stored check, whose fields without a form stay @throws SyntaxError of invalid JSON */
export function checkOf(fields: CheckFields, before?: GuardrailCheck): GuardrailCheckInput {
  const { kind, lines, withinWords, types, countries, restore, tokensMax, json } = fields;
  const kept = {
    also: before?.also.flatMap((field) => (field === 'GUARDRAIL_FIELD_UNSPECIFIED' ? [] : [field])) ?? [],
  };
  switch (kind) {
    case 'words':
      return { ...kept, words: { phrases: lineTexts(lines), withinWords } };
    case 'pattern':
      return { ...kept, pattern: { patterns: lineTexts(lines) } };
    case 'personalData':
      return {
        ...kept,
        personalData: {
          types: personalDataTypes.map(({ id }) => id).filter((id) => types.includes(id)),
          countries: listOf(countries),
          restore,
        },
      };
    case 'secrets':
      return { ...kept, secrets: before?.secrets ?? {} };
    case 'promptSize':
      return { promptSize: { ...before?.promptSize, tokensMax: Number(tokensMax) } };
    case 'json':
      return JSON.parse(json);
    default:
      return callCheckOf(kind, fields.call);
  }
}

/** Phrases and expressions may contain commas. */
function lineTexts(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
