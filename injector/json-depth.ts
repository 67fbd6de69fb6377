// Whether JSON is nested deeper than so many levels, seen before anything parses it. Text that is no JSON is left to the parser.

const [quote, backslash] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)];
const [openings, closings] = [codesOf('[{'), codesOf(']}')];

export function isTooDeep(json: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = closingQuote(json, at);
    else if (openings.has(code)) depth++;
    else if (closings.has(code)) depth--;
    if (depth > depthMax) return true;
  }
  return false;
}

function closingQuote(json: string, opening: number): number {
  let at = opening + 1;
  while (at < json.length && json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

function codesOf(characters: string): ReadonlySet<number> {
  return new Set([...characters].map((character) => character.charCodeAt(0)));
}
