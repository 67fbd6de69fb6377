// The contract's words as our own: names of its enums, and references to resources by kind and id.
import { type Field, invalid, problemsAt, valid } from './field.ts';
import { id } from './fields.ts';

/** Reads a name of the contract. @param inContract our words → its names */
export function wordOf<Word extends string>(
  inContract: Readonly<Record<Word, string>>,
): (name: string) => Field<Word> {
  const words = new Map<string, Word>();
  for (const word in inContract) words.set(inContract[word], word);
  return (name) => {
    const word = words.get(name);
    return word === undefined ? invalid(`must be one of ${[...words.keys()].join(', ')}`) : valid(word);
  };
}

export interface Reference<Kind extends string> {
  readonly kind: Kind;
  readonly id: string;
}

/** Reads what something belongs to. That it exists is for others to see; a reference to an organization is to the given one. */
export function referenceOf<Kind extends string>(inContract: Readonly<Record<Kind, string>>) {
  const kindOf = wordOf(inContract);
  return (organizationId: string) =>
    (message: { readonly kind: string; readonly id: string } | null): Field<Reference<Kind>> => {
      const kind = kindOf(message?.kind ?? '');
      if ('problems' in kind) return { problems: problemsAt('.kind', kind) };
      const read = id(message?.id ?? '');
      if ('problems' in read) return { problems: problemsAt('.id', read) };
      return kind.value === 'organization' && read.value !== organizationId
        ? invalid('must be the id of the organization', '.id')
        : valid({ kind: kind.value, id: read.value });
    };
}
