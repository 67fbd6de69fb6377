// Bytes that arrive in pieces, in one piece of memory at most twice their size. A list of the pieces would cost hundreds of
// bytes each, and whoever sends decides how small they are. Where there are many, they move to a larger memory little by little, before
// it is needed: many megabytes at once would take milliseconds.
const nothing = Buffer.alloc(0);
/** A smaller room is copied at once. */
const largeRoom = 1024 * 1024;
/** Bytes move once no more than an eighth of a large room is free, at sixteen times the pace at which they arrive: all have, when it is full. */
const lastPart = 8;
const pace = 16;

export class ByteStore {
  #room: Buffer = nothing;
  #length = 0;
  /** The room to come, and how much of this one it holds. */
  #next: Buffer | undefined;
  #moved = 0;

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
    if (this.#room.length >= largeRoom) this.#move(pace * piece.length);
  }

  clear(): void {
    this.#room = nothing;
    this.#length = 0;
    this.#next = undefined;
    this.#moved = 0;
  }

  #grow(length: number): void {
    const next = this.#next;
    if (next !== undefined && next.length >= length) {
      this.#move(this.#length);
      this.#room = next;
    } else {
      const room = Buffer.allocUnsafe(Math.max(length, this.#room.length * 2));
      this.bytes.copy(room);
      this.#room = room;
    }
    this.#next = undefined;
    this.#moved = 0;
  }

  #move(bytes: number): void {
    const isNearEnd = this.#room.length - this.#length < this.#room.length / lastPart;
    if (this.#next === undefined && !isNearEnd) return;
    this.#next ??= Buffer.allocUnsafe(this.#room.length * 2);
    const until = Math.min(this.#length, this.#moved + bytes);
    this.#room.copy(this.#next, this.#moved, this.#moved, until);
    this.#moved = until;
  }
}
