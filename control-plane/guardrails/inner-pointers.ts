// Finds the location of a string or number in JSON text inside a string, such as the arguments of a call. It reads the
// JSON text in order and looks for each of its strings there. If a name occurs twice in an object or values come in
// another order, there is no location.
import { parseExactJson } from '../../common/exact-json.ts';
import { isObject } from '../../common/json.ts';
import type { Slot } from '../../guardrails/inspection/inspection-schema.ts';

interface Inner {
  readonly text: string;
  readonly pointer: string;
}

export class InnerPointers {
  readonly #pointers = new Map<number, string>();

  constructor(body: unknown, slots: readonly Slot[]) {
    const left = new Map<string, Inner[]>();
    for (const [index, { text, where }] of slots.entries()) {
      if (where?.isInner !== true) continue;
      const inners = left.get(where.pointer) ?? innersOf(parsedAt(body, where.pointer), '');
      const at = inners.findIndex((inner) => inner.text === text);
      left.set(where.pointer, at < 0 ? inners : inners.slice(at + 1));
      const pointer = inners[at]?.pointer;
      if (pointer !== undefined) this.#pointers.set(index, pointer);
    }
  }

  /**
   * @param slot the index of the string
   * @returns undefined if the string is not in JSON text, or its location is not known
   */
  of(slot: number): string | undefined {
    return this.#pointers.get(slot);
  }
}

function parsedAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined;
  }
  return typeof value === 'string' ? parseExactJson(value) : undefined;
}

function innersOf(value: unknown, pointer: string): Inner[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => innersOf(item, `${pointer}/${index}`));
  if (!isObject(value)) return value === undefined ? [] : [{ text: String(value), pointer }];
  return Object.entries(value).flatMap(([name, item]) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [{ text: name, pointer: at }, ...innersOf(item, at)];
  });
}
