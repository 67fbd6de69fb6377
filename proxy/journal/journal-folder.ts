// A folder of the pod's own, in which each process has a file for each of its sessions: `<process>_<session>.journal`, and beside them
// a socket, `<process>.sock`, which accepts connections as long as the process lives. Whose socket does not is gone, and whoever
// takes over renames its files to his own name. Nothing is flushed to the disk: a process dies, what it has written to the file stays.
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
  /** Bytes that stand in it. */
  readonly size: number;
  /** @throws Error that the file system gives; part of it may then stand there */
  append(text: string): void;
  /** The text takes the place of all that stood there, or nothing does. @throws as append */
  replace(text: string): void;
  remove(): void;
}

export interface AbandonedFile {
  readonly name: string;
  lines(): AsyncIterable<string>;
  remove(): void;
}

export interface JournalFolder {
  /** @throws Error that the file system gives */
  create(session: string): JournalFile;
  /** Tries whether there is room for a while. @throws Error that the file system gives */
  tryOut(): void;
  /** Files of processes that are gone, and of those that this one has taken over before. */
  abandoned(): Promise<readonly AbandonedFile[]>;
  close(): Promise<void>;
}

const filePattern = /^([0-9a-f-]{36})_([0-9a-f-]{36})\.journal(\.next)?$/;
/** Of a path of a socket: sun_path has 108 bytes with its end on Linux, 104 elsewhere. */
const socketPathMax = 103;
const connectMs = 1_000;
/** Some hundred requests. */
const triedBytes = 128 * 1024;

/** @throws Error that says what to do, unless the disk is to blame: then the folder is opened as soon as it can be */
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
  /** Why it could not be opened last. */
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
      // It is there for the next try.
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

/** Little fits into it, so it is named from where this process stands if that is shorter. */
function socketPath(directory: string, owner: string): string {
  const path = join(directory, `${owner}.sock`);
  const relativePath = relative(process.cwd(), path);
  return relativePath.length < path.length ? relativePath : path;
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // Who connects only wants to know whether somebody is there.
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
    // Killed while writing a file anew: the one that it was to replace is there.
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

/** Where that cannot be said it is. */
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
