// Judges where the target comes from: the file that holds tokens is for its owner alone, and tokens go over TLS. Pure.
import { isLoopback, type Target, transportText } from '../target.ts';
import { type Finding, ok, warning } from './finding.ts';

export interface ConfigurationSeen {
  /** The file; undefined: none was used. */
  readonly file?: string;
  readonly context?: string;
}

/** @param mode permission bits of the file; undefined: there is none */
export function judgeConfiguration(
  { server, transport }: Target,
  { file, context }: ConfigurationSeen,
  mode: number | undefined,
): Finding {
  const from = context === undefined ? 'the command line or environment' : `context ${context}`;
  const says = `${server} over ${transportText(transport)}, from ${from}`;
  if (mode !== undefined && (mode & 0o077) !== 0)
    return warning(
      'configuration',
      `others may read ${file}, which holds tokens (mode ${mode.toString(8)})`,
      `run: chmod 600 ${file}`,
    );
  if (transport.kind === 'plaintext' && !isLoopback(server))
    return warning(
      'configuration',
      `${says}: the token crosses the network readable by everybody on the way`,
      'give the control plane a certificate and use --tls or --ca-file',
    );
  return ok('configuration', says);
}
