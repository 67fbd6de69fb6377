// What selectors select, in a line each: "3 of 444 models: …".
import type { ModelMatch__Output } from '../proto/generated/gateway/v1/ModelMatch.ts';

/** As many names as a line has room for. */
const namesMax = 6;

/** Without its control characters a selector is as its writer may type it. */
export function matchText({ selector, matched, known, models, open, nearest }: ModelMatch__Output): string {
  const told = models.slice(0, namesMax);
  const more = matched - told.length;
  const names = told.length === 0 ? '' : `: ${told.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const near = nearest.length === 0 ? '' : `; the nearest: ${nearest.join(', ')}`;
  const unlisted = open ? '; and names that nobody can list' : '';
  return `${selector} selects ${matched} of ${known} models${names}${near}${unlisted}`;
}
