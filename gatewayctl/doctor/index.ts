// `gatewayctl doctor`: runs the checks, prints the results, and exits with 1 if something has failed.
import { configPath } from '../config.ts';
import { exitCodes } from '../failure.ts';
import type { Io } from '../io.ts';
import { printStructured } from '../output.ts';
import type { OutputForm } from '../output-form.ts';
import type { Target } from '../target.ts';
import { diagnose } from './doctor.ts';
import { createProbe } from './network-probe.ts';
import { reportJson, reportText } from './report.ts';

export interface DoctorContext {
  /** Name of the context in use. */
  readonly context: string | undefined;
  readonly target: Target;
  readonly form: OutputForm;
  /** URLs of proxies' admin listeners; default: none. */
  readonly proxies?: readonly string[];
  /** URLs of admin listeners of any program; default: none. */
  readonly admins?: readonly string[];
}

/** @returns the exit code */
export async function runDoctor(
  { context, target, form, proxies = [], admins = [] }: DoctorContext,
  io: Io,
): Promise<number> {
  const configuration = { file: configPath(io.env), ...(context !== undefined && { context }) };
  const diagnosis = await diagnose({ target, configuration, proxies, admins }, createProbe(target));
  if (form === 'table') await io.out(reportText(diagnosis));
  else await printStructured(reportJson(diagnosis), { io, form });
  return diagnosis.failed ? exitCodes.refused.code : exitCodes.done.code;
}
