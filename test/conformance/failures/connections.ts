// Failures of connections, which are the same for every vendor: closed or reset at every stage of a response, no HTTP,
// silence.
import type { VendorName } from '../../../common/vendors.ts';
import { badGatewayPage, byNext, type Failure, type Shown } from './failure.ts';

const raw = (text: string) => ({ rawBase64: Buffer.from(text).toString('base64') });
const source = 'RFC 9112, section 8: an incomplete message';

/** The SDK's error for a response of this status that the vendor did not send. */
export function unreached(vendor: VendorName, status: 502 | 504): Shown {
  return { error: (status === 504 ? timeouts : failures)[vendor], status };
}

const failures: Readonly<Record<VendorName, string>> = {
  'gpt-provider': 'InternalServerError',
  'studio-ai': 'InternalServerError',
  'managed-cloud-models': 'InternalServerException',
  'assistant-provider': 'InternalServerError',
  'search-provider': 'ApiError',
};
const timeouts = {
  ...failures,
  'managed-cloud-models': 'ModelTimeoutException',
  'assistant-provider': 'GatewayTimeoutError',
};

const cutInside: Readonly<Record<VendorName, string>> = {
  ...failures,
  'gpt-provider': 'APIError',
  'studio-ai': 'APIError',
  'assistant-provider': 'APIError',
  'managed-cloud-models': 'ModelStreamErrorException',
};

/** The SDK's error for a stream that ends inside. One vendor's errors have a status there. */
function cutShown(vendor: VendorName, status: number): Shown {
  return { error: cutInside[vendor], status: vendor === 'search-provider' ? status : undefined };
}

export function connectionFailures(vendor: VendorName): readonly Failure[] {
  const shown = unreached(vendor, 502);
  const before = (name: string, sends: Failure['sends']): Failure => ({ name, source, sends, shown, ...byNext });
  const inside = (name: string, by: 'cut' | 'reset'): Failure => ({
    ...{ name, source, form: 'streamed', next: false },
    sends: { tokens: 20, stop: { by, afterPieces: 8 } },
    shown: cutShown(vendor, 502),
  });
  return [
    before('closes the connection before the head', { stop: { by: 'cut', beforeHead: true } }),
    before('resets the connection before the head', { stop: { by: 'reset', beforeHead: true } }),
    before('closes the connection inside of the head', raw('HTTP/1.1 200 OK\r\ncontent-ty')),
    before('does not respond with HTTP', raw('220 mail.example ESMTP\r\n')),
    before('closes the connection after the head', { stop: { by: 'cut', afterPieces: 0 } }),
    before('resets the connection after the head', { stop: { by: 'reset', afterPieces: 0 } }),
    { ...before('ends a stream without an event', { stop: { by: 'end', afterPieces: 0 } }), form: 'streamed' },
    {
      ...before('closes the connection inside of the body', { stop: { by: 'cut', afterBytes: 20 } }),
      form: 'whole',
    },
    before('sends a page of its network', badGatewayPage),
    inside('closes the connection after the first token', 'cut'),
    inside('resets the connection after the first token', 'reset'),
  ];
}

/** For a proxy that does not wait long for a first byte. */
export function silences(vendor: VendorName): readonly Failure[] {
  const silent = (name: string, sends: Failure['sends']): Failure => ({
    ...{ name, source: 'no message at all', form: 'streamed', sends },
    ...{ shown: unreached(vendor, 504), ...byNext },
  });
  return [
    silent('is silent before the head', { headDelayMs: 30_000 }),
    silent('is silent after the head', { stop: { by: 'silence', afterPieces: 0 } }),
    {
      ...silent('is silent after the first token', { tokens: 20, stop: { by: 'silence', afterPieces: 8 } }),
      ...{ shown: cutShown(vendor, 504), next: false },
    },
  ];
}
