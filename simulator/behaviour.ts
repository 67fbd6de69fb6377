// How a test makes one answer differ from the simulator's own: what is answered, and how it is sent.
// Plain data, so that it can also travel inside a request, as a user message whose content is {"simulate": {…}}.

/** One wish for one answer. A request that the vendor would refuse is refused whatever the wish. */
export interface Behaviour {
  // What is answered.
  /** An error with this status, in the vendor's own envelope. */
  readonly status?: number;
  /** Parts of that envelope; what is left out is the vendor's usual for the status. */
  readonly error?: Readonly<Record<string, string | null>>;
  /** These bytes in place of the answer's body; with `headers` for their content type. */
  readonly body?: string;
  readonly bodyBase64?: string;
  /** These bytes on the connection, then its end, in place of an HTTP answer. */
  readonly rawBase64?: string;
  /** Added to the vendor's headers, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  /** A text of this many tokens, each one event of a stream, in place of `text`. */
  readonly tokens?: number;
  /** Size of each of them. Default 6. */
  readonly tokenBytes?: number;
  /** What the model thinks before it answers, where the vendor shows that. */
  readonly reasoning?: string;
  /** It comes only in the vendor's encrypted form, where there is one. */
  readonly reasoningRedacted?: boolean;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason?: string;
  /** The vendor's filter does not let the prompt through, for this reason in its own word: an answer, no error. */
  readonly blocked?: string;
  /** Where the text comes from: each source may quote the words of the text that it stands for, else it stands for all. */
  readonly citations?: readonly Citation[];
  /** Fields in place of the estimated ones; null leaves usage out altogether. */
  readonly usage?: Readonly<Record<string, unknown>> | null;
  /** The text is what was received, as JSON; credentials only as their SHA-256. */
  readonly echo?: boolean;
  /** After this many events of a stream an error event instead of the rest. */
  readonly errorAfterEvents?: number;

  // How it is sent. A piece is one event of a stream, the whole body otherwise, or what `pieceBytes` says. Pieces without a
  // delay between them may share a packet.
  readonly headDelayMs?: number;
  /** Before each piece but the first. */
  readonly pieceDelayMs?: number;
  /** The body is cut into pieces of these sizes, whatever stands at the cuts; the last size repeats. */
  readonly pieceBytes?: readonly number[];
  readonly stop?: Stop;
}

export interface Citation {
  readonly uri: string;
  readonly title?: string;
  readonly text?: string;
}

/** The answer stops early: before its head, or after so many pieces or bytes. */
export interface Stop {
  /** `cut` closes the connection, `reset` resets it, `silence` leaves it open, `end` ends as if all were well. */
  readonly by: 'cut' | 'reset' | 'silence' | 'end';
  readonly beforeHead?: boolean;
  readonly afterPieces?: number;
  readonly afterBytes?: number;
}

/** @throws Error naming the first field that is not one of Behaviour's */
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
  errorAfterEvents: isCount,
  headDelayMs: isCount,
  pieceDelayMs: isCount,
  pieceBytes: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((size) => isCount(size) && size > 0),
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
