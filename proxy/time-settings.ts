// Settings of the greatest time of a request, stage by stage; the watchdog enforces them.
import { bytes, duration, integer, type Setting } from '../common/settings.ts';

export const timeSettings = {
  headersTimeout: {
    name: 'GATEWAY_HEADERS_TIMEOUT',
    about: 'For the request line and headers; above it 408.',
    decode: duration,
    default: '5s',
  },
  bodyGrace: {
    name: 'GATEWAY_BODY_GRACE',
    about: 'After this time a body must arrive at GATEWAY_BODY_RATE_MIN; else 408.',
    decode: duration,
    default: '5s',
  },
  bodyRateMin: {
    name: 'GATEWAY_BODY_RATE_MIN',
    about: 'Bytes a second of a request body.',
    decode: bytes,
    default: '10KiB',
  },
  readerTimeout: {
    name: 'GATEWAY_READER_TIMEOUT',
    about: 'A client that reads nothing of its response for this long is cut.',
    decode: duration,
    default: '60s',
  },
  connectTimeout: {
    name: 'GATEWAY_CONNECT_TIMEOUT',
    about: 'For the look-up of a provider’s name, and again for the connection to it; above it 502.',
    decode: duration,
    default: '5s',
  },
  firstByteTimeout: {
    name: 'GATEWAY_FIRST_BYTE_TIMEOUT',
    about: "To the first byte of a provider's stream; above it 504.",
    decode: duration,
    default: '120s',
  },
  idleTimeout: {
    name: 'GATEWAY_IDLE_TIMEOUT',
    about: "Between two reads of a provider's stream; above it the stream ends with an error.",
    decode: duration,
    default: '60s',
  },
  totalTimeout: {
    name: 'GATEWAY_TOTAL_TIMEOUT',
    about: 'For a whole request; the official SDKs wait as long.',
    decode: duration,
    default: '600s',
  },
  readOnSeconds: {
    name: 'GATEWAY_READ_ON_SECONDS',
    about: 'How long a response is read on (GATEWAY_READ_ON_MAX); then it is cancelled and charged its reservation.',
    decode: integer(1, 3600),
    default: '60',
  },
} as const satisfies Record<string, Setting<unknown>>;
