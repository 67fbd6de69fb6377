// The errors of a field in the vendor's texts. The vendor writes a path in three ways: `messages.0.content` in texts of
// the service, `messages.1.member.content` (counted from one) for a constraint of its API model, `#/messages/0` for an
// unknown key.
import { type FieldFault, isObject } from '../checks.ts';
import { invalid, malformedInput, type Refusal, unreadable } from './refusal.ts';

export function refusalOf({ path, fault, value }: FieldFault): Refusal {
  const constraint = (what: string) =>
    invalid(
      `1 validation error detected: Value ${shown(value)} at '${memberPath(path)}' failed to satisfy constraint: Member must ${what}`,
    );
  switch (fault.kind) {
    case 'missing':
      return constraint('not be null');
    case 'unknown':
      return strayKey(path);
    case 'type':
      return unreadable(wrongToken(value, fault.expected));
    case 'value':
      return constraint(`satisfy enum value set: [${fault.values.join(', ')}]`);
    case 'pattern':
      return constraint(`satisfy regular expression pattern: ${fault.pattern.source}`);
    case 'below':
      return constraint(`have value greater than or equal to ${fault.bound}`);
    case 'above':
      return constraint(`have value less than or equal to ${fault.bound}`);
    case 'short':
      return constraint(`have length greater than or equal to ${fault.bound}`);
    case 'long':
      return constraint(`have length less than or equal to ${fault.bound}`);
  }
}

/** A path such as `messages.0.content.1`. */
export function servicePath(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1');
}

function memberPath(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, (_, index: string) => `.${Number(index) + 1}.member`);
}

/**
 * The vendor's framework would ignore an unknown key. The simulator refuses it, because it is the caller's mistake and
 * a test should see it. The text is the vendor's for the locations where it does refuse an unknown key.
 */
function strayKey(path: string): Refusal {
  const steps = servicePath(path).split('.');
  const parent = steps
    .slice(0, -1)
    .map((step) => `/${step}`)
    .join('');
  return malformedInput(`#${parent}: extraneous key [${steps.at(-1)}] is not permitted`);
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (Array.isArray(value)) return `'[${value.join(', ')}]'`;
  return isObject(value) ? '' : `'${String(value)}'`;
}

function wrongToken(value: unknown, expected: string): string {
  if (Array.isArray(value)) return 'Start of list found where not expected';
  if (isObject(value)) return 'Start of structure or map found where not expected';
  if (expected.startsWith('an array')) return 'Expected list or null';
  if (expected === 'an object') return 'Expected null';
  const token = typeof value === 'boolean' ? `${value}_VALUE`.toUpperCase() : `${typeof value}_VALUE`.toUpperCase();
  const kind = typeNames[expected] ?? 'a String';
  return `${token} can not be converted to ${kind}`;
}

const typeNames: Readonly<Record<string, string>> = {
  'a string': 'a String',
  'an integer': 'an Integer',
  'a decimal': 'a Float',
  'a boolean': 'a Boolean',
};
