// Collects bytes that arrive in pieces into one buffer of at most twice their size. A list of the pieces would cost
// hundreds of bytes for each piece, and the sender chooses how small they are. A large buffer moves to its successor
// gradually, before the successor is needed, because copying many megabytes at once would take milliseconds.
const nothing = Buffer.alloc(0);
/** A buffer smaller than this is copied at once. */
const largeRoom = 1024 * 1024;
/**
 * Bytes start to move when at most an eighth of a large buffer is free, sixteen times as fast as new bytes arrive. When
 * the buffer is full, all of them have moved.
 */
const lastPart = 8;
const pace = 16;

export class ByteStore {
  #room: Buffer = nothing;
  #length = 0;
  /** The next buffer. The first `#moved` bytes of the current one are already in it. */
  #next: Buffer | undefined;
  #moved = 0;

  get length(): number {
    return this.#length;
  }

  /** The bytes that were pushed, in the store's own memory. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  /** Uses the first piece without a copy and copies the others. */
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
