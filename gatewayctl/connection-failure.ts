// Explains from the transport's error why no server responded, and how to fix it.
import type { CallFailure } from './call-failure.ts';
import type { Target } from './target.ts';

/** The cause of a failed connection; doctor examines each further. */
export type Obstacle =
  | 'refused'
  | 'unknown-name'
  | 'no-response'
  | 'untrusted-certificate'
  | 'wrong-name'
  | 'expired-certificate'
  | 'server-without-tls'
  | 'server-with-tls'
  | 'other';

interface Sign {
  readonly obstacle: Obstacle;
  readonly pattern: RegExp;
  readonly advice: string;
}

/** The first matching entry counts. */
const signs: readonly Sign[] = [
  {
    obstacle: 'refused',
    pattern: /ECONNREFUSED/,
    advice: 'nothing listens there; check the address and whether the control plane runs',
  },
  {
    obstacle: 'unknown-name',
    pattern: /ENOTFOUND|EAI_AGAIN|Name resolution failed/,
    advice: 'no address is known for this name; check it and the resolver of this machine',
  },
  {
    obstacle: 'expired-certificate',
    pattern: /certificate has expired|certificate is not yet valid/i,
    advice: "the server's certificate is not valid today; renew it, or set this machine's clock",
  },
  {
    obstacle: 'wrong-name',
    pattern: /does not match certificate|ERR_TLS_CERT_ALTNAME/i,
    advice: "the server's certificate is for other names; give one of them with --server-name",
  },
  {
    obstacle: 'untrusted-certificate',
    pattern: /self.signed certificate|unable to (?:get|verify)|UNABLE_TO|unable to get local issuer/i,
    advice: "this machine does not trust the signer of the server's certificate; give its authority with --ca-file",
  },
  {
    obstacle: 'server-without-tls',
    pattern: /wrong version number|packet length too long|EPROTO/i,
    advice: 'the server does not speak TLS there; to this machine, or through a tunnel, give --plaintext',
  },
  {
    obstacle: 'no-response',
    pattern: /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Deadline exceeded/i,
    advice: 'nothing responds there; check the address and the firewalls in between',
  },
];

export interface ConnectionProblem {
  readonly obstacle: Obstacle;
  readonly advice: string;
}

export function connectionProblem(
  failure: Pick<CallFailure, 'code' | 'message'>,
  { transport }: Pick<Target, 'transport'>,
): ConnectionProblem {
  const { message } = failure;
  const sign = signs.find(({ pattern }) => pattern.test(message));
  if (sign !== undefined) return sign;
  if (
    transport.kind === 'plaintext' &&
    /ECONNRESET|socket hang up|Protocol error|Connection dropped|closed|Failed to connect/i.test(message)
  )
    return {
      obstacle: 'server-with-tls',
      advice: 'the server ended the connection; if it speaks TLS, give --tls or --ca-file',
    };
  const plain = message.replace(/^No connection established\. Last error: |\. Resolution note: $/g, '');
  return { obstacle: 'other', advice: plain };
}
