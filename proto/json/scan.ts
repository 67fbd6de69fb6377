// Finds flaws that JSON.parse accepts: a name twice in one object, and unbounded nesting. Runs before the parser.

/** More levels than any request of the contract has. */
const depthMax = 16;

export type Flaw =
  | { readonly kind: 'duplicate'; readonly name: string }
  | { readonly kind: 'depth'; readonly depthMax: number };

interface Level {
  /** Undefined in an array. */
  readonly names: Set<string> | undefined;
  expectsName: boolean;
}

/** The first flaw. The parser rejects text that is not JSON. */
export function findFlaw(text: string): Flaw | undefined {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const level = levels[levels.length - 1];
    switch (text[at]) {
      case '{':
      case '[':
        if (levels.length === depthMax) return { kind: 'depth', depthMax };
        levels.push(
          text[at] === '{' ? { names: new Set(), expectsName: true } : { names: undefined, expectsName: false },
        );
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level?.names !== undefined) level.expectsName = true;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (level?.expectsName === true) {
          const name = unquote(text.slice(at, end));
          if (level.names?.has(name)) return { kind: 'duplicate', name };
          level.names?.add(name);
          level.expectsName = false;
        }
        at = end - 1;
      }
    }
  }
  return undefined;
}

/** Index after the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

/** Two spellings of one name, such as "a" and "\u0061", are the same name. */
function unquote(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
