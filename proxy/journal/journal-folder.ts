// A folder of the pod, in which each process has a file for each of its sessions, `<process>_<session>.journal`, and a
// socket, `<process>.sock`, which accepts connections as long as the process lives. If the socket accepts none, the
// process is dead, and the process that takes over renames its files to its own name. Nothing is flushed to the disk:
// data written to the file outlives the process.
import {
  closeSync,
  createReadStream,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { isDiskTrouble, makeFolder } from '../../common/system-errors.ts';
import { uuidv7 } from '../../common/uuid.ts';

export interface JournalFile {
  /** Bytes in the file. */
  readonly size: number;
  /** @throws Error of the file system; part of the text may then be in the file */
  append(text: string): void;
  /** Replaces the whole content by the text, or changes nothing. @throws like append */
  replace(text: string): void;
  remove(): void;
}

export interface AbandonedFile {
  readonly name: string;
  lines(): AsyncIterable<string>;
  remove(): void;
}

export interface JournalFolder {
  /** @throws Error of the file system */
  create(session: string): JournalFile;
  /** Tests whether there is room for a while. @throws Error of the file system */
  tryOut(): void;
  /** Files of dead processes, including those that this process took over before. */
  abandoned(): Promise<readonly AbandonedFile[]>;
  close(): Promise<void>;
}

const filePattern = /^([0-9a-f-]{36})_([0-9a-f-]{36})\.journal(\.next)?$/;
/** The longest path of a socket: sun_path has 108 bytes on Linux, including its end, and 104 elsewhere. */
const socketPathMax = 103;
const connectMs = 1_000;
/** Room for some hundred requests. */
const triedBytes = 128 * 1024;

/**
 * @throws Error that explains the remedy, unless the disk is the cause: then the folder is opened as soon as possible
 */
export async function openJournalFolder(directory: string): Promise<JournalFolder> {
  const owner = uuidv7();
  const socket = socketPath(directory, owner);
  if (Buffer.byteLength(socket) > socketPathMax)
    throw new Error(
      `the path of the journal is too long for a socket: GATEWAY_JOURNAL_DIR may have ${socketPathMax - 42} bytes`,
    );
  const folder = new OpenFolder(directory, owner, socket);
  try {
    await folder.open();
  } catch (cause) {
    if (!isDiskTrouble(cause))
      throw new Error(`the journal cannot be kept in ${directory} (GATEWAY_JOURNAL_DIR)`, { cause });
  }
  return folder;
}

class OpenFolder implements JournalFolder {
  readonly #directory: string;
  readonly #owner: string;
  readonly #socket: string;
  readonly #created = new Set<string>();
  #server: Server | undefined;
  /** Why the last attempt to open it failed. */
  #trouble: unknown;

  constructor(directory: string, owner: string, socket: string) {
    [this.#directory, this.#owner, this.#socket] = [directory, owner, socket];
  }

  async open(): Promise<void> {
    try {
      makeFolder(this.#directory, 0o700);
      this.#server = await listen(this.#socket);
    } catch (error) {
      this.#trouble = error;
      throw error;
    }
  }

  create(session: string): JournalFile {
    if (this.#server === undefined) throw this.#trouble;
    this.#created.add(`${this.#owner}_${session}.journal`);
    return new OpenFile(join(this.#directory, `${this.#owner}_${session}.journal`));
  }

  tryOut(): void {
    if (this.#server === undefined) {
      // The folder may be open at the next try.
      void this.open().catch(() => undefined);
      throw this.#trouble;
    }
    tryOut(join(this.#directory, `${this.#owner}.room`));
  }

  async abandoned(): Promise<readonly AbandonedFile[]> {
    return this.#server === undefined ? [] : takeOver(this.#directory, this.#owner, this.#created);
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }
}

function tryOut(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(triedBytes), { mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}

class OpenFile implements JournalFile {
  readonly #path: string;
  #descriptor: number;
  #size = 0;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'ax', 0o600);
  }

  get size(): number {
    return this.#size;
  }

  append(text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    this.#size += bytes.length;
  }

  replace(text: string): void {
    const next = `${this.#path}.next`;
    rmSync(next, { force: true });
    const descriptor = openSync(next, 'ax', 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      renameSync(next, this.#path);
    } catch (error) {
      closeSync(descriptor);
      rmSync(next, { force: true });
      throw error;
    }
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.#size = fstatSync(descriptor).size;
  }

  remove(): void {
    closeSync(this.#descriptor);
    rmSync(this.#path, { force: true });
  }
}

/** A socket path has little room, so it is relative to the working directory if that is shorter. */
function socketPath(directory: string, owner: string): string {
  const path = join(directory, `${owner}.sock`);
  const relativePath = relative(process.cwd(), path);
  return relativePath.length < path.length ? relativePath : path;
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // A process that connects only tests whether this process lives.
    const server = createServer((connection) => connection.destroy());
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      // It must not keep the process alive.
      server.unref();
      resolve(server);
    });
  });
}

async function takeOver(
  directory: string,
  owner: string,
  created: ReadonlySet<string>,
): Promise<readonly AbandonedFile[]> {
  const living = new Map<string, boolean>([[owner, false]]);
  const found: AbandonedFile[] = [];
  for (const name of readdirSync(directory)) {
    const [, by, session, isUnfinished] = filePattern.exec(name) ?? [];
    if (by === undefined || session === undefined || created.has(name)) continue;
    const socket = socketPath(directory, by);
    if (!living.has(by)) living.set(by, await isAlive(socket));
    if (living.get(by)) continue;
    // The process was killed while it rewrote a file: the file to be replaced still exists.
    if (isUnfinished !== undefined) {
      rmSync(join(directory, name), { force: true });
      continue;
    }
    const taken = join(directory, `${owner}_${session}.journal`);
    renameSync(join(directory, name), taken);
    found.push(abandonedFile(taken, session));
  }
  for (const [by, isLiving] of living)
    if (!isLiving && by !== owner) rmSync(join(directory, `${by}.sock`), { force: true });
  return found;
}

function abandonedFile(path: string, session: string): AbandonedFile {
  return {
    name: session,
    lines: () => createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY }),
    remove: () => rmSync(path, { force: true }),
  };
}

/** True if it cannot be determined. */
function isAlive(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const reportLiveness = (alive: boolean) => {
      connection.destroy();
      resolve(alive);
    };
    connection.setTimeout(connectMs, () => reportLiveness(true));
    connection.once('connect', () => reportLiveness(true));
    connection.once('error', (error: NodeJS.ErrnoException) =>
      reportLiveness(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
