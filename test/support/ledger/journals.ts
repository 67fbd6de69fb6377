// A pod's folder of journals, in memory: it outlives the proxies that write to it, unless the pod is gone. Writes may
// fail.
import type { AbandonedFile, JournalFile, JournalFolder } from '../../../proxy/journal/journal-folder.ts';

interface StoredFile {
  owner: object;
  readonly session: string;
  text: string;
}

export class MemoryPod {
  readonly files = new Set<StoredFile>();
  readonly #living = new Set<object>();
  /** Whether the next write fails. */
  fails: () => boolean;

  constructor(fails: () => boolean = () => false) {
    this.fails = fails;
  }

  /** The folder for one process of the pod. */
  connect(): JournalFolder & { kill(): void } {
    const owner = {};
    this.#living.add(owner);
    return {
      create: (session) => this.#create(owner, session),
      tryOut: () => {
        if (this.fails()) throw new Error('no space left');
      },
      abandoned: async () => this.#takeOver(owner),
      close: async () => void this.#living.delete(owner),
      kill: () => void this.#living.delete(owner),
    };
  }

  #create(owner: object, session: string): JournalFile {
    if (this.fails()) throw new Error('no space left');
    const file: StoredFile = { owner, session, text: '' };
    this.files.add(file);
    const write = (text: string) => {
      if (this.fails()) throw new Error('no space left');
      file.text = text;
    };
    return {
      get size() {
        return file.text.length;
      },
      append: (text) => write(file.text + text),
      replace: write,
      remove: () => void this.files.delete(file),
    };
  }

  #takeOver(owner: object): readonly AbandonedFile[] {
    return [...this.files]
      .filter((file) => !this.#living.has(file.owner))
      .map((file) => {
        file.owner = owner;
        return {
          name: file.session,
          lines: async function* () {
            yield* file.text.split('\n');
          },
          remove: () => void this.files.delete(file),
        };
      });
  }
}
