// A behaviour lets a test change one response of the simulator: its content and how it is sent. It is plain data, so it
// can also be sent inside a request, as a user message whose content is {"simulate": {…}}.

/** The changes for one response. A request that the vendor would refuse is refused with any behaviour. */
export interface Behaviour {
  // The content.
  /** Returns an error with this status, in the vendor's envelope. */
  readonly status?: number;
  /** Parts of the envelope. The vendor's usual values for the status replace missing parts. */
  readonly error?: Readonly<Record<string, string | null>>;
  /** These bytes replace the response body; set their content type in `headers`. */
  readonly body?: string;
  readonly bodyBase64?: string;
  /** These bytes, then the end of the connection, replace the HTTP response. */
  readonly rawBase64?: string;
  /** Added to the vendor's headers; a header of the same name is replaced. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  /** The model declines with this text, where the vendor has a field for that. It replaces `text`. */
  readonly refusal?: string;
  /** A text of this many tokens, each one event of a stream, replaces `text`. */
  readonly tokens?: number;
  /** Bytes of each of these tokens. Default 6. */
  readonly tokenBytes?: number;
  /** The model's thinking before its text, for vendors that show it. */
  readonly reasoning?: string;
  /** Sends the thinking only in the vendor's encrypted form, where one exists. */
  readonly reasoningRedacted?: boolean;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason?: string;
  /**
   * The vendor's filter blocks the prompt, for this reason in the vendor's own word. This is a response, not an error.
   */
  readonly blocked?: string;
  /** The sources of the text. A source may quote the passage that it supports; otherwise it supports the whole text. */
  readonly citations?: readonly Citation[];
  /** These fields replace the estimates; null removes usage. */
  readonly usage?: Readonly<Record<string, unknown>> | null;
  /** The text is the received request as JSON; credentials appear only as their SHA-256. */
  readonly echo?: boolean;
  /** A response in the background is over at this read of it. Default 2; before it, it is in progress. */
  readonly backgroundReads?: number;
  /** Sends an error event after this many events of a stream, instead of the rest. */
  readonly errorAfterEvents?: number;

  // How the response is sent. A piece is one event of a stream, otherwise the whole body, or a part as `pieceBytes`
  // defines it. Pieces without a delay between them may share a packet.
  readonly headDelayMs?: number;
  /** Delay before each piece except the first. */
  readonly pieceDelayMs?: number;
  /** Cuts the body into pieces of these sizes, also inside a character; the last size repeats. */
  readonly pieceBytes?: readonly number[];
  readonly stop?: Stop;
}

export interface Citation {
  readonly uri: string;
  readonly title?: string;
  readonly text?: string;
}

/** Stops the response early: before its head, or after this many pieces or bytes. */
export interface Stop {
  /** `cut` closes the connection, `reset` resets it, `silence` leaves it open, `end` ends the response normally. */
  readonly by: 'cut' | 'reset' | 'silence' | 'end';
  readonly beforeHead?: boolean;
  readonly afterPieces?: number;
  readonly afterBytes?: number;
}

/** @throws Error that names the first field that Behaviour does not have */
export function parseBehaviour(value: unknown): Behaviour {
  checkFields(value, behaviourFields, 'simulate');
  return value as Behaviour;
}

type Test = (value: unknown) => boolean;

const isObject: Test = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isString: Test = (value) => typeof value === 'string';
const isBoolean: Test = (value) => typeof value === 'boolean';
const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isMapOf =
  (test: Test): Test =>
  (value) =>
    isObject(value) && Object.values(value as object).every(test);
const isToolCall: Test = (value) =>
  isObject(value) && isMapOf(isString)(value) && Object.keys(value as object).length === 2;
const isCitation: Test = (value) =>
  isMapOf(isString)(value) &&
  'uri' in (value as object) &&
  Object.keys(value as object).every((key) => ['uri', 'title', 'text'].includes(key));

const behaviourFields: Record<keyof Behaviour, Test> = {
  status: (value) => isCount(value) && (value as number) >= 200 && (value as number) <= 599,
  error: isMapOf((value) => value === null || isString(value)),
  body: isString,
  bodyBase64: isString,
  rawBase64: isString,
  headers: isMapOf(isString),
  text: isString,
  refusal: isString,
  tokens: isCount,
  tokenBytes: isCount,
  reasoning: isString,
  reasoningRedacted: isBoolean,
  toolCalls: (value) => Array.isArray(value) && value.every(isToolCall),
  finishReason: isString,
  blocked: isString,
  citations: (value) => Array.isArray(value) && value.every(isCitation),
  usage: (value) => value === null || isObject(value),
  echo: isBoolean,
  backgroundReads: isCount,
  errorAfterEvents: isCount,
  headDelayMs: isCount,
  pieceDelayMs: isCount,
  pieceBytes: (value) => Array.isArray(value) && value.length > 0 && value.every((size) => isCount(size) && size > 0),
  stop: (value) => {
    checkFields(value, stopFields, 'simulate.stop');
    return true;
  },
};

const stopFields: Record<keyof Stop, Test> = {
  by: (value) => value === 'cut' || value === 'reset' || value === 'silence' || value === 'end',
  beforeHead: isBoolean,
  afterPieces: isCount,
  afterBytes: isCount,
};

function checkFields(value: unknown, fields: Readonly<Record<string, Test>>, path: string): void {
  if (!isObject(value)) throw new Error(`${path} must be an object`);
  for (const [key, field] of Object.entries(value as object)) {
    const test = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (test === undefined) {
      throw new Error(`${path} has no field '${key}'; there are ${Object.keys(fields).join(', ')}`);
    }
    if (!test(field)) throw new Error(`${path}.${key} is malformed`);
  }
}
