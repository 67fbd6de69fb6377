// The form of the output that a command line requests.

export const outputForms = ['table', 'json', 'yaml', 'csv', 'name'] as const;
export type OutputForm = (typeof outputForms)[number];

export function isOutputForm(text: string): text is OutputForm {
  return outputForms.some((form) => form === text);
}

/** Output options as they were given. */
export interface GivenOutput {
  /** The word of -o. */
  readonly o?: string | undefined;
  readonly json?: boolean | undefined;
  readonly organization?: string | undefined;
}

export interface ReadOutput {
  readonly form: OutputForm;
  readonly organization?: string;
  /** What to report on standard error. */
  readonly warning?: string;
}

/**
 * The form of the output. In this release a word of -o that is no form is still an organization, as in earlier ones.
 * @throws Error for options that exclude each other
 */
export function readOutput({ o, json, organization }: GivenOutput): ReadOutput {
  if (o === undefined) return { form: json === true ? 'json' : 'table' };
  if (isOutputForm(o)) {
    if (json === true && o !== 'json') throw new Error(`--json excludes -o ${o}; keep one of them`);
    return { form: o };
  }
  const forms = outputForms.join(', ');
  if (organization !== undefined) throw new Error(`-o must be one of ${forms}, not "${o}"`);
  return {
    form: json === true ? 'json' : 'table',
    organization: o,
    warning: `-o ${o}: the organization is --organization ${o} now; the next release takes only ${forms} for -o`,
  };
}
