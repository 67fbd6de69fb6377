// What audit events changed, as lines for people: a heading, and a line for each field whose value differs.
import { isObject, type JsonObject, parseJson } from '../common/json.ts';
import { enumWords, fieldWords } from './enum-names.ts';
import { printable } from './table.ts';

const nothing = '-';

/** Says the same as the event: when it changed. */
const fieldsApart: readonly string[] = ['revision'];

/** @param event an AuditEvent of the contract, with `names` */
export function changesText(event: JsonObject): string {
  const names = isObject(event.names) ? event.names : {};
  const [before, after] = [valuesOf(event.before, names), valuesOf(event.after, names)];
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  const lines = paths.flatMap((path) => {
    const [old, present] = [before.get(path) ?? nothing, after.get(path) ?? nothing];
    return old === present ? [] : [`  ${fieldWords(path)}: ${old} → ${present}`];
  });
  const shown = lines.length === 0 ? ['  no field differs'] : lines;
  return `${[headingOf(event), ...shown].map(printable).join('\n')}\n`;
}

function headingOf(event: JsonObject): string {
  const { revision, at, action, from } = event;
  const target = named(event.targetKind, event.targetName, event.targetId);
  const actor = named(event.actorKind, event.actorName, event.actorId);
  return `${String(revision)}  ${String(at)}  ${String(action)} of ${target}, by ${actor} from ${String(from)}`;
}

function named(kind: unknown, name: unknown, id: unknown): string {
  const words = String(kind).replaceAll('_', ' ');
  const known = typeof name === 'string' && name !== '';
  return [words, ...(known ? [name, `(${String(id)})`] : [String(id)])].join(' ').trim();
}

/** Values as text by their path in a state; a list of values is one, of objects each has a number. */
function valuesOf(state: unknown, names: JsonObject): ReadonlyMap<string, string> {
  const leaves = typeof state === 'string' ? leavesOf(parseJson(state), '') : [];
  const texts = leaves.map(([path, value]) => [path, textOf(value, names)] as const);
  return new Map(texts.filter(([path, text]) => text !== '' && !fieldsApart.includes(path)));
}

type Leaf = readonly [path: string, value: unknown];

function leavesOf(value: unknown, path: string): readonly Leaf[] {
  const fields = fieldsIn(value);
  if (fields === undefined) return [[path, value]];
  return fields.flatMap(([name, one]) => leavesOf(one, path === '' ? name : `${path}.${name}`));
}

/** Undefined for a value that is shown as one. */
function fieldsIn(value: unknown): readonly Leaf[] | undefined {
  if (isObject(value)) return Object.entries(value);
  if (!Array.isArray(value) || !value.some(isObject)) return undefined;
  return value.map((one: unknown, nth) => [String(nth + 1), one]);
}

function textOf(value: unknown, names: JsonObject): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((one: unknown) => textOf(one, names)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  const name = Object.hasOwn(names, text) ? names[text] : undefined;
  return typeof name === 'string' ? `${name} (${text})` : (enumWords(text) ?? text);
}
