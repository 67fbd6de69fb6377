// The errors of a field in the vendor's texts and codes.
import { type FieldFault, kindOf, listed } from '../checks.ts';
import { badField, type Refusal } from './refusal.ts';

export function refusalOf({ path, fault, value }: FieldFault): Refusal {
  const invalid = (what: string, code: string) => badField(path, `Invalid '${path}': ${what}`, code);
  switch (fault.kind) {
    case 'missing':
      return badField(path, `Missing required parameter: '${path}'.`, 'missing_required_parameter');
    case 'unknown':
      return badField(path, `Unknown parameter: '${path}'.`, 'unknown_parameter');
    case 'type': {
      const message = `Invalid type for '${path}': expected ${fault.expected}, but got ${kindOf(value)} instead.`;
      return badField(path, message, 'invalid_type');
    }
    case 'value': {
      const message = `Invalid value: '${String(value)}'. Supported values are: ${listed(fault.values, 'and')}.`;
      return badField(path, message, 'invalid_value');
    }
    case 'pattern': {
      const what = `string does not match pattern. Expected a string that matches the pattern '${fault.pattern.source}'.`;
      return invalid(what, 'invalid_value');
    }
    case 'below': {
      const what = `${fault.number} below minimum value. Expected a value >= ${fault.bound}, but got ${String(value)} instead.`;
      return invalid(what, `${fault.number}_below_min_value`);
    }
    case 'above': {
      const what = `${fault.number} above maximum value. Expected a value <= ${fault.bound}, but got ${String(value)} instead.`;
      return invalid(what, `${fault.number}_above_max_value`);
    }
    case 'short': {
      const { of, bound } = fault;
      const what = `empty ${of}. Expected ${article(of)} with minimum length ${bound}, but got an empty ${of} instead.`;
      return invalid(what, `empty_${of}`);
    }
    case 'long': {
      const { of, bound, length } = fault;
      const what = `${of} too long. Expected ${article(of)} with maximum length ${bound}, but got ${article(of)} with length ${length} instead.`;
      return invalid(what, `${of}_above_max_length`);
    }
  }
}

function article(noun: 'string' | 'array'): string {
  return noun === 'array' ? 'an array' : 'a string';
}
