// Errors of a body of the inference API in its validator's form: one entry per error, with its location as a list.
import type { Fault, FieldFault } from '../checks.ts';
import { StudioRefusal } from './refusal.ts';

export interface Detail {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
}

export function invalidInput(details: readonly Detail[]): StudioRefusal {
  const error = { code: 'Invalid input', status: 422, message: 'invalid input error', details };
  return new StudioRefusal(422, { error });
}

export function detailOf({ path, fault, value }: FieldFault): Detail {
  const [type, msg] = wordsOf(fault);
  return { type, loc: locationOf(path), msg, input: value ?? null };
}

export function extraInput(name: string, value: unknown): Detail {
  return {
    type: 'extra_forbidden',
    loc: ['body', name],
    msg: 'Extra inputs are not permitted',
    input: value,
  };
}

/** `messages[0].content` becomes `body`, `messages`, 0, `content`. */
function locationOf(path: string): readonly (string | number)[] {
  const steps = path.match(/[^.[\]]+/g) ?? [];
  return ['body', ...steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
}

function wordsOf(fault: Fault): readonly [type: string, msg: string] {
  switch (fault.kind) {
    case 'missing':
      return ['missing', 'Field required'];
    case 'unknown':
      return ['extra_forbidden', 'Extra inputs are not permitted'];
    case 'type':
      return typeWords[fault.expected] ?? ['value_error', `Input should be ${fault.expected}`];
    case 'value':
      return ['literal_error', `Input should be ${fault.values.map((value) => `'${value}'`).join(' or ')}`];
    case 'pattern':
      return ['string_pattern_mismatch', `String should match pattern '${fault.pattern.source}'`];
    case 'below':
      return ['greater_than_equal', `Input should be greater than or equal to ${fault.bound}`];
    case 'above':
      return ['less_than_equal', `Input should be less than or equal to ${fault.bound}`];
    case 'short':
    case 'long':
      return lengthWords(fault);
  }
}

const typeWords: Readonly<Record<string, readonly [string, string]>> = {
  'a boolean': ['bool_type', 'Input should be a valid boolean'],
  'a string': ['string_type', 'Input should be a valid string'],
  'an integer': ['int_type', 'Input should be a valid integer'],
  'a decimal': ['float_type', 'Input should be a valid number'],
  'an object': ['model_attributes_type', 'Input should be a valid dictionary or object to extract fields from'],
  'an array of objects': ['list_type', 'Input should be a valid list'],
};

function lengthWords(fault: Extract<Fault, { kind: 'short' | 'long' }>): readonly [string, string] {
  const { kind, of, bound, length } = fault;
  const limit = `at ${kind === 'short' ? 'least' : 'most'} ${bound}`;
  return of === 'string'
    ? [`string_too_${kind}`, `String should have ${limit} characters`]
    : [`too_${kind}`, `List should have ${limit} items after validation, not ${length}`];
}
