// Bytes that arrive in pieces, in one piece of memory at most twice their size. A list of the pieces would cost hundreds of
// bytes each, and whoever sends decides how small they are.
const nothing = Buffer.alloc(0);

export class ByteStore {
  #room: Buffer = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What has been pushed, in the store's own memory. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  /** The first piece is taken as it is, the others are copied. */
  push(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#room = piece;
    else {
      if (length > this.#room.length) this.#grow(length);
      piece.copy(this.#room, this.#length);
    }
    this.#length = length;
  }

  clear(): void {
    this.#room = nothing;
    this.#length = 0;
  }

  #grow(length: number): void {
    const room = Buffer.allocUnsafe(Math.max(length, this.#room.length * 2));
    this.bytes.copy(room);
    this.#room = room;
  }
}
