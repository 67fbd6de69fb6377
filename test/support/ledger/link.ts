// A proxy's connection to the control plane: calls are lost before or after their execution, executed twice, delayed,
// or get late responses.
import type { Random } from '../access/random.ts';
import type { VirtualTime } from '../virtual-time.ts';

export const linkModes = ['well', 'slow', 'lossy', 'refused', 'silent'] as const;

export type LinkMode = (typeof linkModes)[number];

const deadlineMs = 5_000;

export class Link {
  mode: LinkMode = 'well';
  /** The proxy is gone: calls in flight may arrive, no response returns. */
  isDead = false;
  readonly #time: VirtualTime;
  readonly #random: Random;
  /** Runs a call that arrives. */
  readonly #execute: (work: () => Promise<void>) => void;

  constructor(time: VirtualTime, random: Random, execute: (work: () => Promise<void>) => void) {
    this.#time = time;
    this.#random = random;
    this.#execute = execute;
  }

  /** @throws an error if no response arrives in time; the call may have been executed */
  call<ReadResponse>(work: () => Promise<ReadResponse>): Promise<ReadResponse> {
    return new Promise((resolve, reject) => {
      if (this.isDead) return;
      const way = this.#way();
      const fail = () => {
        if (!this.isDead) reject(new Error('the control plane did not respond'));
      };
      this.#time.after(this.mode === 'refused' ? 5 : deadlineMs, fail);
      for (const { back, there } of way)
        this.#time.after(there, () =>
          this.#execute(async () => {
            const response = await work();
            if (back === undefined) return;
            this.#time.after(back, () => {
              if (!this.isDead) resolve(response);
            });
          }),
        );
    });
  }

  /** One entry for each arrival of the call, with the delay of its response. */
  #way(): readonly { readonly there: number; readonly back: number | undefined }[] {
    const random = this.#random;
    switch (this.mode) {
      case 'well':
        return [{ there: random.between(1, 20), back: random.between(1, 20) }];
      case 'slow':
        return [{ there: random.between(1, 3_500), back: random.between(1, 3_500) }];
      case 'lossy': {
        if (random.chance(0.3)) return [];
        const first = {
          there: random.between(1, 50),
          back: random.chance(0.3) ? undefined : random.between(1, 50),
        };
        return random.chance(0.7) ? [first] : [first, this.#late()];
      }
      case 'refused':
        return [];
      case 'silent':
        return random.chance(0.5) ? [] : [this.#late()];
    }
  }

  #late(): { readonly there: number; readonly back: undefined } {
    return {
      there: this.#random.chance(0.5) ? this.#random.between(1, 500) : this.#random.between(500, 70_000),
      back: undefined,
    };
  }
}
