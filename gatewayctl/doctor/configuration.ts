// Checks the source of the target: only its owner may read the file with tokens, and tokens must be sent over TLS.
// Pure.
import { isLoopback, type Target, transportText } from '../target.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

export interface ConfigurationSeen {
  /** Path of the file; undefined: none was used. */
  readonly file?: string;
  readonly context?: string;
}

export interface FilesSeen {
  /** Permission bits of the configuration file; undefined: there is none. */
  readonly mode: number | undefined;
  /** Why the file of authorities cannot be used. */
  readonly authoritiesProblem: string | undefined;
}

export function checkConfiguration(
  { server, transport }: Target,
  { file, context }: ConfigurationSeen,
  { mode, authoritiesProblem }: FilesSeen,
): Finding {
  const from = context === undefined ? 'the command line or environment' : `context ${context}`;
  const says = `${server} over ${transportText(transport)}, from ${from}`;
  if (authoritiesProblem !== undefined)
    return failed(
      'configuration',
      `the authorities cannot be used: ${authoritiesProblem}`,
      'name a PEM file with the certificate of the authority: --ca-file',
    );
  if (mode !== undefined && (mode & 0o077) !== 0)
    return warning(
      'configuration',
      `others may read ${file}, which contains tokens (mode ${mode.toString(8)})`,
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
