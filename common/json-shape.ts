// Shapes of JSON that the gateway itself has written and reads again: what does not have its shape was written by another version, or
// damaged, and is refused by its place. Neither an error nor a path in it holds a value, nor the name of a field that is data.

/** @throws ShapeError for what has another shape */
export type Shape<T> = (value: unknown) => T;

export class ShapeError extends Error {
  override readonly name = 'ShapeError';
  readonly path: string;

  /** @param path empty: the whole */
  constructor(problem: string, path = '') {
    super(path === '' ? problem : `${path} ${problem}`);
    this.path = path;
  }
}

/** @throws ShapeError also for what is no JSON; its message has no part of the text */
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

/** Whose fields are read one by one where they are used. */
export const anObject: Shape<Readonly<Record<string, unknown>>> = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ShapeError('must be an object');
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

/** By names that are data. */
export function aMap<T>(shape: Shape<T>): Shape<Record<string, T>> {
  return (value) => {
    const map = anObject(value);
    for (const one of Object.values(map)) at('[…]', shape, one);
    return map as Record<string, T>;
  };
}

/** With these fields at least: what another version has written beside them stays. */
export function aRecord<T>(fields: { readonly [Name in keyof T]-?: Shape<T[Name]> }): Shape<T> {
  const entries = Object.entries(fields) as readonly (readonly [string, Shape<unknown>])[];
  return (value) => {
    const record = anObject(value);
    for (const [name, shape] of entries) at(name, shape, record[name]);
    return record as T;
  };
}

/** A part of something. */
export function at<T>(place: string, shape: Shape<T>, value: unknown): T {
  try {
    return shape(value);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const problem = error.path === '' ? error.message : error.message.slice(error.path.length + 1);
    const joint = error.path === '' || error.path.startsWith('[') ? '' : '.';
    throw new ShapeError(problem, `${place}${joint}${error.path}`);
  }
}
