// Log messages for a failed connection to the egress gateway, with advice for the operator. Callers only learn that the
// egress gateway cannot be reached.
import { errorCode } from '../../common/system-errors.ts';
import { GatewayError } from '../errors.ts';
import type { TransportError } from '../upstream/transport.ts';

const unreachableMessage = 'the egress gateway cannot be reached';

const untrusted =
  'its certificate is signed by an authority that is not known here; GATEWAY_FORWARD_CA or GATEWAY_FORWARD_CA_FILE names its authorities';
const refused =
  'it refused the client certificate; GATEWAY_FORWARD_CERT_FILE must contain one that an authority of its GATEWAY_TLS_CLIENT_CA_FILE has signed, and that is still valid';

/** By error code of Node or OpenSSL: the cause, and how to fix it. */
const advices: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired; it has to be renewed there',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; the clocks may differ',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name; GATEWAY_FORWARD_TO must use a name that is in it',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: `it wants a client certificate; set GATEWAY_FORWARD_CERT_FILE and GATEWAY_FORWARD_KEY_FILE`,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: refused,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: refused,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: refused,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: refused,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: refused,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS on this port; GATEWAY_FORWARD_TO may name the plain one',
  ECONNREFUSED: 'nothing listens there; it may be starting, or GATEWAY_FORWARD_TO is wrong',
  ENOTFOUND: 'its name is not known; GATEWAY_FORWARD_TO may be wrong',
};

const closedEarly =
  'it closed the connection without a response; it may be stopping, or it does not accept the client certificate in GATEWAY_FORWARD_CERT_FILE';

/** @param isResponding whether the head of a response had arrived */
export function egressFailure(error: TransportError, isResponding: boolean): GatewayError {
  const code = isResponding || error.kind === 'protocol' ? 'upstream_protocol_error' : 'upstream_unreachable';
  const advice = isResponding
    ? 'it ended its response early'
    : (advices[causeCode(error.cause)] ?? (error.kind === 'closed' ? closedEarly : undefined));
  const message = `the egress gateway: ${advice ?? error.message}`;
  return new GatewayError(code, {
    ...(code === 'upstream_unreachable' && { message: unreachableMessage, retryAfter: 1 }),
    ...(code === 'upstream_protocol_error' && {
      message: 'the egress gateway sent a response in a form that cannot be used',
    }),
    cause: new Error(message, { cause: error.cause }),
  });
}

/** If several addresses were tried, the code of the first. */
function causeCode(cause: unknown): string {
  return cause instanceof AggregateError ? causeCode(cause.errors[0]) : errorCode(cause);
}
