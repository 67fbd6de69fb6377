// Shape checks for JSON that the gateway itself wrote and reads again. A value of another shape was written by another
// version or is damaged; it is refused with its path. Neither an error nor its path contains a value, or a field name
// that is data.

/** @throws ShapeError for a value of another shape */
export type Shape<T> = (value: unknown) => T;

export class ShapeError extends Error {
  override readonly name = 'ShapeError';
  readonly path: string;

  /** @param path empty for the whole value */
  constructor(problem: string, path = '') {
    super(path === '' ? problem : `${path} ${problem}`);
    this.path = path;
  }
}

/** @throws ShapeError also for text that is not JSON; the message contains no part of the text */
export function readShape<T>(text: string, shape: Shape<T>): T {
  return shape(parsed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('is no JSON');
  }
}

function primitive<T>(type: string, what: string): Shape<T> {
  return (value) => {
    if (typeof value !== type) throw new ShapeError(`must be ${what}`);
    return value as T;
  };
}

export const aString = primitive<string>('string', 'a string');
export const aNumber = primitive<number>('number', 'a number');
export const aFlag = primitive<boolean>('boolean', 'true or false');

/** An object whose fields the caller checks one by one. */
export const anObject: Shape<Readonly<Record<string, unknown>>> = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ShapeError('must be an object');
  return value as Readonly<Record<string, unknown>>;
};

export function aWord<Word extends string>(words: readonly Word[]): Shape<Word> {
  return (value) => {
    const word = words.find((one) => one === value);
    if (word === undefined) throw new ShapeError('must be a word that this version knows');
    return word;
  };
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? null : shape(value));
}

export function orAbsent<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value) => (value === undefined ? undefined : shape(value));
}

export function aList<T>(shape: Shape<T>): Shape<T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new ShapeError('must be a list');
    for (const [index, one] of value.entries()) at(`[${index}]`, shape, one);
    return value as T[];
  };
}

export function aPair<A, B>(first: Shape<A>, second: Shape<B>): Shape<readonly [A, B]> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== 2) throw new ShapeError('must be a pair');
    return [at('[0]', first, value[0]), at('[1]', second, value[1])];
  };
}

/** A map whose names are data. */
export function aMap<T>(shape: Shape<T>): Shape<Record<string, T>> {
  return (value) => {
    const map = anObject(value);
    for (const one of Object.values(map)) at('[…]', shape, one);
    return map as Record<string, T>;
  };
}

/** A record with at least these fields. Further fields, which another version wrote, are kept. */
export function aRecord<T>(fields: { readonly [Name in keyof T]-?: Shape<T[Name]> }): Shape<T> {
  const entries = Object.entries(fields) as readonly (readonly [string, Shape<unknown>])[];
  return (value) => {
    const record = anObject(value);
    for (const [name, shape] of entries) at(name, shape, record[name]);
    return record as T;
  };
}

/** Checks a part of a value and adds its location to the error. */
export function at<T>(location: string, shape: Shape<T>, value: unknown): T {
  try {
    return shape(value);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const problem = error.path === '' ? error.message : error.message.slice(error.path.length + 1);
    const joint = error.path === '' || error.path.startsWith('[') ? '' : '.';
    throw new ShapeError(problem, `${location}${joint}${error.path}`);
  }
}
