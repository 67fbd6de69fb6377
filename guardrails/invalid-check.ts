// The error for an impossible check. It is thrown when the check is compiled, so that the control plane refuses it
// before it reaches a proxy.

export class InvalidCheckError extends Error {
  /** Path in the check, such as "patterns[3]". */
  readonly field: string;

  /** @param message the reason, written for the operator who configured the check */
  constructor(field: string, message: string) {
    super(message);
    this.name = 'InvalidCheckError';
    this.field = field;
  }
}
