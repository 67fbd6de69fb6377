// What a client of the gateway is configured with: the gateway's address, a model and a virtual key. The key's value is
// unknown once it was created, so every block names the environment variable that contains it.

/** The values that a block contains. */
export interface Wish {
  /** Origin of the proxy, without a path and without a slash at its end. */
  readonly url: string;
  /** As the gateway calls it: `<provider>/<model>`, an alias, or a bare name. */
  readonly model: string;
  /** The environment variable that contains the virtual key. */
  readonly keyName: string;
}

/** Text to paste. */
export interface Block {
  /** The language of the block, as Markdown names it. */
  readonly language: 'sh' | 'python' | 'js' | 'json' | 'yaml' | 'text';
  /** Where it belongs, if it is not obvious: a file, or an application's form. */
  readonly file?: string;
  readonly text: string;
}

/** How it was found out that a client works so. */
export type Evidence =
  /** The block runs in `npm test`. */
  | 'npm test'
  /** The block, or the agent with these settings, runs in `npm run agents`. */
  | 'npm run agents'
  /** From the maker's documentation; not tried. */
  | 'documentation';

export interface ClientRow {
  readonly title: string;
  /** The wire format that it speaks, in the words of docs/clients.md. */
  readonly format: 'Chat completions' | 'Responses' | 'Messages' | 'generateContent' | 'Converse';
  readonly evidence: Evidence;
  /** A model that suits its format, for examples. */
  readonly model: string;
  /** What its user must know besides the blocks, in one or two sentences. */
  readonly note?: string;
  blocks(wish: Wish): readonly Block[];
}
