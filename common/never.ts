// Ends an exhaustive switch. A new value of a closed set becomes a type error at each switch. If such a value still
// arrives at run time, from a table that was cast, an error is thrown, so that it is not mistaken for another value.

/** @param value the unhandled value; it is shown in the error, so it must not be a secret */
export function never(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
