// The names of the tags by which an organization sums its usage.
import { isTagName, tagNamesMax } from '../../common/tags.ts';
import { each, type Field, invalid, problemsAt, valid } from './field.ts';

/** In the order in which they were written. */
export function tagNames({ names }: { readonly names: readonly string[] }): Field<readonly string[]> {
  if (names.length > tagNamesMax) return invalid(`has at most ${tagNamesMax} names`, '.names');
  const second = names.findIndex((name, index) => names.indexOf(name) < index);
  if (second !== -1) return invalid('is listed twice', `.names[${second}]`);
  const list = each(tagName, names);
  return 'problems' in list ? { problems: problemsAt('.names', list) } : list;
}

function tagName(name: string): Field<string> {
  return isTagName(name)
    ? valid(name)
    : invalid('must be 1 to 32 of a-z 0-9 -, beginning with a letter, such as cost-center');
}
