// Conversions from the contract: names of its enums, and references to resources by kind and id.
import type { EnumWords, WordOf } from '../../proto/words/enum-words.ts';
import { type Field, invalid, problemsAt, valid } from './field.ts';
import { id } from './shared-fields.ts';

/** Reads an enum name of the contract. */
export function wordOf<Table extends Readonly<Record<string, string>>>(
  words: EnumWords<Table>,
): (name: string) => Field<WordOf<EnumWords<Table>>> {
  const names = Object.values(words.names).join(', ');
  return (name) => {
    const word = words.wordOf(name);
    return word === undefined ? invalid(`must be one of ${names}`) : valid(word);
  };
}

export interface Reference<Kind extends string> {
  readonly kind: Kind;
  readonly id: string;
}

/**
 * Reads a reference to an owner or subject. A reference to an organization must name the given one; the caller checks
 * that the resource exists.
 */
export function referenceOf<Table extends Readonly<Record<string, string>>>(kinds: EnumWords<Table>) {
  const kindOf = wordOf(kinds);
  return (organizationId: string) =>
    (message: { readonly kind: string; readonly id: string } | null): Field<Reference<Table[keyof Table]>> => {
      const kind = kindOf(message?.kind ?? '');
      if ('problems' in kind) return { problems: problemsAt('.kind', kind) };
      const read = id(message?.id ?? '');
      if ('problems' in read) return { problems: problemsAt('.id', read) };
      return kind.value === 'organization' && read.value !== organizationId
        ? invalid('must be the id of the organization', '.id')
        : valid({ kind: kind.value, id: read.value });
    };
}
