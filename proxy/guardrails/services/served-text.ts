// One text on its way past services: first those that only inspect, at the same time; then those that rewrite, one
// after another, each with the result of the one before. It is released when all services have released it.
import type { Placeholders } from '../../../guardrails/placeholders.ts';
import type { ServiceGuard } from '../service.ts';
import type { WindowAbout } from './ask-services.ts';
import { WindowedText } from './windows.ts';

/** A window that a service has to inspect now. */
export interface DueText extends WindowAbout {
  readonly service: ServiceGuard;
  readonly text: string;
  returned(left: string): void;
}

export interface ServedTextOptions {
  readonly isFixed: boolean;
  placeholders(): Placeholders;
}

export class ServedText {
  readonly #stages: readonly TextStage[];
  #left = '';

  /** @param stages the services of each stage; none is empty */
  constructor(stages: readonly (readonly ServiceGuard[])[], options: ServedTextOptions) {
    this.#stages = stages.map((services) => new TextStage(services, options));
  }

  /** Length of the received text in UTF-16 units. */
  get pushed(): number {
    return this.#stages[0]?.pushed ?? 0;
  }

  /** How much of the received text was released. With several stages, all or nothing. */
  get decided(): number {
    if (this.isOver) return this.pushed;
    return this.#stages.length === 1 ? (this.#stages[0]?.decided ?? 0) : 0;
  }

  get withheld(): number {
    return this.#stages.reduce((sum, stage) => sum + stage.withheld, this.#left.length);
  }

  get isDue(): boolean {
    return this.#stages.some((stage) => stage.isDue);
  }

  /** The whole text has passed the services. */
  get isOver(): boolean {
    return this.#stages.every((stage) => stage.isOver);
  }

  push(text: string): void {
    if (this.#stages.length === 0) this.#left += text;
    this.#stages[0]?.push(text);
  }

  end(): void {
    this.#stages[0]?.end();
    this.advance();
  }

  due(): readonly DueText[] {
    return this.#stages.flatMap((stage) => stage.due());
  }

  /** Moves text that one stage has released to the next. */
  advance(): void {
    for (const [index, stage] of this.#stages.entries()) {
      const passed = stage.take();
      const next = this.#stages[index + 1];
      if (next === undefined) this.#left += passed;
      else next.push(passed);
      if (stage.isOver) next?.end();
    }
  }

  /** The text released since the last call. */
  takeOut(): string {
    const left = this.#left;
    this.#left = '';
    return left;
  }
}

interface SentText {
  readonly service: ServiceGuard;
  readonly windows: WindowedText;
  /** Text that this service has released, but not all others. */
  passed: string;
}

class TextStage {
  readonly #sent: readonly SentText[];
  readonly #isFixed: boolean;
  readonly #placeholders: Placeholders;

  constructor(services: readonly ServiceGuard[], { isFixed, placeholders }: ServedTextOptions) {
    this.#sent = services.map((service) => ({
      service,
      windows: new WindowedText(service.window),
      passed: '',
    }));
    this.#isFixed = isFixed;
    this.#placeholders = placeholders();
  }

  get pushed(): number {
    return this.#sent[0]?.windows.pushed ?? 0;
  }

  get decided(): number {
    return Math.min(...this.#sent.map(({ windows }) => windows.decided));
  }

  get withheld(): number {
    return Math.max(...this.#sent.map(({ windows, passed }) => windows.withheld + passed.length));
  }

  get isDue(): boolean {
    return this.#sent.some(({ windows }) => windows.isDue);
  }

  get isOver(): boolean {
    return this.#sent.every(({ windows, passed }) => windows.isOver && passed === '');
  }

  push(text: string): void {
    for (const { windows } of this.#sent) windows.push(text);
  }

  end(): void {
    for (const { windows } of this.#sent) windows.end();
  }

  due(): readonly DueText[] {
    return this.#sent
      .filter(({ windows }) => windows.isDue)
      .map((requested) => {
        const { service, windows } = requested;
        const { isWhole } = windows;
        return {
          service,
          isFixed: this.#isFixed,
          isWhole,
          placeholders: this.#placeholders,
          text: windows.ask(),
          returned: (left) => {
            requested.passed += windows.returned(left);
          },
        };
      });
  }

  /** The text that all services have released. */
  take(): string {
    const length = Math.min(...this.#sent.map(({ passed }) => passed.length));
    const text = this.#sent[0]?.passed.slice(0, length) ?? '';
    for (const requested of this.#sent) requested.passed = requested.passed.slice(length);
    return text;
  }
}
