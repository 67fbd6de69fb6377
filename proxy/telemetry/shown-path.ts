// A path as the log may show it: the words of an API, up to the first part that is none. Whoever puts a key into a path, perhaps one
// with slashes in it, finds nothing of it in the log.
import { withoutKeyForms } from '../../common/key-forms.ts';

const lengthMax = 200;
/** As APIs name their routes and models; behind a colon what is done with one. */
const word = /^[a-z0-9._~-]{0,64}(?::[A-Za-z]{1,40})?$/;
const rest = '…';

/** @param target of a request, as it came */
export function shownPath(target: string): string {
  const [path = ''] = target.split('?', 1);
  const parts = path.slice(0, lengthMax + 1).split('/');
  const end = parts.findIndex((part) => !word.test(part) || withoutKeyForms(part) !== part);
  const shown = end === -1 ? parts.join('/') : [...parts.slice(0, end), rest].join('/');
  return shown.length > lengthMax ? `${shown.slice(0, lengthMax - 1)}${rest}` : shown;
}
