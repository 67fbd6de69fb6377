// A check that cannot be: thrown where it is compiled, so that the control plane refuses it before a proxy ever sees it.

export class InvalidCheckError extends Error {
  /** Path in the check, such as "patterns[3]". */
  readonly field: string;

  /** @param message why, in words for the operator who wrote it */
  constructor(field: string, message: string) {
    super(message);
    this.name = 'InvalidCheckError';
    this.field = field;
  }
}
