// Between the columns of a row and the fields of a message.
export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

export function globsText(globs: readonly string[]): string {
  return JSON.stringify(globs);
}

export function globsOf(text: string): string[] {
  return JSON.parse(text) as string[];
}

/** Whether a change would change nothing: columns are text, numbers and null. */
export function isSame<Row extends object>(before: Row, columns: Partial<Row>): boolean {
  return Object.entries(columns).every(([column, value]) => before[column as keyof Row] === value);
}
