// Tags in the reports of proxies, of usage and of requests.
import { isTagName, tagNamesMax, tagValue } from '../../common/tags.ts';

/**
 * Tags are a caller's text, so one that has another form is left out, and what has it counts all the same. A newer
 * proxy's value may be longer.
 * @returns undefined if there is none
 */
export function reportedTags(sent: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(sent);
  if (entries.length === 0) return undefined;
  const tags: [string, string][] = [];
  for (const [name, text] of entries) {
    const value = tags.length < tagNamesMax && isTagName(name) ? tagValue(text) : undefined;
    if (value !== undefined) tags.push([name, value]);
  }
  return tags.length === 0 ? undefined : Object.fromEntries(tags);
}
