// One captured request, from its inspection to its end. It takes what it keeps from a share of bytes; a side without room
// is dropped. Texts are read when the event loop has nothing else to do for the request, so no request waits for a capture.
import type { CapturedContent } from '../../common/captured-content.ts';
import { requestLocations } from '../../guardrails/inspection/request-schema.ts';
import type { CaptureRule } from '../access/capture-settings.ts';
import { type ChatRequest, clientBody } from '../formats/chat-completions/read-request.ts';
import type { TextReader } from '../formats/streamed-texts.ts';
import { type CleaningRules, cleaned, redacted, slackOf, withoutPartial } from './cleaned.ts';
import { type BoundedText, requestText } from './request-text.ts';
import { bodyText, StreamTexts } from './response-text.ts';

export interface CaptureInput extends CleaningRules {
  /** As guardrails left it. */
  readonly request: ChatRequest;
  /** A response that guardrails did not inspect is not kept. */
  readonly keepsResponse: boolean;
  openTexts(): TextReader;
}

export interface CaptureDeps {
  /** Takes bytes of the owner's share. @returns whether there was room */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Runs the work after what waits for the event loop now. */
  later(work: () => void): void;
  /** The request is over. */
  ended(sides: CaptureSides): void;
}

export interface CaptureSides {
  readonly request: CapturedContent | undefined;
  readonly response: CapturedContent | undefined;
  /** Sides for which there was no room. */
  readonly dropped: number;
}

export class Capture {
  readonly rule: CaptureRule;
  readonly #input: Omit<CaptureInput, 'request'>;
  readonly #deps: CaptureDeps;
  readonly #slack: number;
  #unread: ChatRequest | undefined;
  #request: BoundedText | undefined;
  #whole: BoundedText | undefined;
  #stream: StreamTexts | undefined;
  #keepsResponse: boolean;
  #taken = 0;
  #ofStream = 0;
  #dropped = 0;

  constructor(rule: CaptureRule, { request, ...input }: CaptureInput, deps: CaptureDeps) {
    this.rule = rule;
    this.#input = input;
    this.#deps = deps;
    this.#slack = slackOf(input);
    this.#unread = request;
    this.#keepsResponse = input.keepsResponse;
    deps.later(() => this.#read());
  }

  /** The caller gets this body, in its own format. */
  body(bytes: Buffer): void {
    if (!this.#keepsResponse) return;
    const text = bodyText(bytes, this.rule.sideBytesMax + bytesOfUnit * this.#slack);
    if (this.#take(text.text.length)) this.#whole = text;
  }

  /** The caller gets this piece of a stream. */
  piece(bytes: Buffer): void {
    if (!this.#keepsResponse) return;
    this.#stream ??= new StreamTexts(this.#input.openTexts(), this.rule.sideBytesMax + 2 * this.#slack);
    this.#stream.push(bytes);
    const more = this.#stream.length - this.#ofStream;
    if (more < streamStep) return;
    this.#ofStream += more;
    if (!this.#take(more)) this.forgetResponse();
  }

  /** A guardrail has blocked the response, or could not inspect it: nothing of it is kept. */
  forgetResponse(): void {
    this.#keepsResponse = false;
    this.#whole = undefined;
    this.#stream = undefined;
  }

  /** Called once. @param isUnfinished the response ended before it was complete */
  end(isUnfinished: boolean): void {
    this.#deps.later(() => this.#deps.ended(this.#sides(isUnfinished)));
  }

  #sides(isUnfinished: boolean): CaptureSides {
    try {
      this.#read();
      const request = this.#request && this.#content('body', this.#request, false);
      return { request, response: this.#response(isUnfinished), dropped: this.#dropped };
    } finally {
      this.#deps.give(this.#taken);
    }
  }

  #read(): void {
    const request = this.#unread;
    this.#unread = undefined;
    if (request === undefined) return;
    const location = request.client?.translation.requestLocations ?? requestLocations;
    const text = requestText(clientBody(request), location, this.rule.sideBytesMax + this.#slack);
    if (this.#take(text.text.length)) this.#request = text;
  }

  #response(isUnfinished: boolean): CapturedContent | undefined {
    if (this.#whole !== undefined) return this.#content('body', this.#whole, isUnfinished);
    const stream = this.#stream?.list((text) => redacted(withoutPartial(text, this.#input), this.#input));
    return stream && this.#content('stream', stream, isUnfinished);
  }

  #content(form: CapturedContent['form'], text: BoundedText, isUnfinished: boolean): CapturedContent {
    return { form, isUnfinished, ...cleaned(text, this.#input, this.rule.sideBytesMax) };
  }

  #take(bytes: number): boolean {
    if (this.#deps.take(bytes)) {
      this.#taken += bytes;
      return true;
    }
    this.#dropped++;
    return false;
  }
}

/** The most bytes of a UTF-16 unit in UTF-8. */
const bytesOfUnit = 3;
/** In characters: each token needs no look at the share. */
const streamStep = 4096;
