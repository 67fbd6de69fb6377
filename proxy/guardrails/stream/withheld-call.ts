// A tool call on its way through guardrails. Its arguments are JSON, which has a meaning only as a whole, so the call
// is held back until it is complete and then sent in one piece.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { type CallPiece, saysNothing, withoutEmpty } from '../delta.ts';

/** The field with the text of a call, by type of the call. */
const bodies = { function: 'arguments', custom: 'input' } as const;
type Body = keyof typeof bodies;

export class WithheldCall {
  readonly #field: CallPiece['field'];
  /** The fields beside the body. */
  #fields: JsonObject = {};
  #body: JsonObject = {};
  #kind: Body = 'function';
  #text = '';

  constructor({ field }: CallPiece) {
    this.#field = field;
  }

  /** In UTF-16 units. */
  get length(): number {
    return this.#text.length;
  }

  /**
   * Whether a piece continues this call. Some servers send each call whole, without an index or all with the same one.
   */
  continues({ field, call: { index = null, id } }: CallPiece): boolean {
    const known = this.#fields;
    if (field !== this.#field) return false;
    if (!saysNothing(id) && known.id !== undefined && id !== known.id) return false;
    return index === null || index === known.index || isSameNumber(index, known.index);
  }

  add(piece: CallPiece): void {
    const { kind, name, body } = bodyOf(piece);
    const { [name]: text, ...more } = body;
    this.#kind = kind;
    if (typeof text === 'string') this.#text += text;
    // Some servers repeat the name, or an empty one, in every piece; others send it in pieces, which clients join.
    const { name: stated, ...others } = withoutEmpty(more);
    Object.assign(this.#body, others);
    if (typeof stated !== 'string') Object.assign(this.#body, withoutEmpty({ name: stated }));
    else if (stated !== this.#body.name) this.#body.name = `${this.#body.name ?? ''}${stated}`;
    if (piece.field === 'function_call') return;
    const { [kind]: _body, ...fields } = piece.call;
    Object.assign(this.#fields, withoutEmpty(fields));
  }

  /** @returns the fields of a delta with the whole call; its text is no longer kept */
  take(): JsonObject {
    const body = { ...this.#body, [bodies[this.#kind]]: this.#text };
    this.#text = '';
    if (this.#field === 'function_call') return { function_call: body };
    const { index, id, type, ...others } = this.#fields;
    const head = withoutEmpty({ index, id, type });
    return { tool_calls: [{ ...head, [this.#kind]: body, ...others }] };
  }
}

function isSameNumber(one: unknown, other: unknown): boolean {
  const plain = plainNumber(one);
  return plain !== undefined && plain === plainNumber(other);
}

function bodyOf({ field, call }: CallPiece): { kind: Body; body: JsonObject; name: string } {
  if (field === 'function_call') return { kind: 'function', body: call, name: bodies.function };
  const kind = isObject(call.custom) ? 'custom' : 'function';
  const body = call[kind];
  return { kind, body: isObject(body) ? body : {}, name: bodies[kind] };
}
