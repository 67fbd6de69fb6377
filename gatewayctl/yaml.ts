// YAML of a result, in a file of its own: the library is loaded with the first result that needs it.
import { stringify } from 'yaml';

/** Long texts stay on one line, so that a line can be searched for. */
export function toYaml(value: object): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
