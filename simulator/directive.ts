// A behaviour inside a request: the last message is the user's and its text is {"simulate": {…}}.
import { type Behaviour, parseBehaviour } from './behaviour.ts';
import { isObject } from './checks.ts';

/**
 * @param text of the last message, if it is the user's
 * @throws Error that names the malformed part
 */
export function directiveIn(text: string): Behaviour | undefined {
  if (!/^\s*\{\s*"simulate"/.test(text)) return undefined;
  const value: unknown = JSON.parse(text);
  return isObject(value) ? parseBehaviour(value.simulate) : undefined;
}
