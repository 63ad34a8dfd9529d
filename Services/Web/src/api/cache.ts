/**
 * The read cache: what calls have answered, by call and query.
 *
 * A screen shows what is known at once and is told when the fresh answer is there. A write names
 * the calls that it makes stale; those on screen are read again, the others when they are next
 * wanted.
 */
import type { Client } from './client';
import {
  addressOf,
  type AnyInput,
  type Input,
  type Named,
  type Operation,
  type Shape,
} from './operation';

export interface Known<Body> {
  readonly body: Body | undefined;
  readonly error: unknown;
  readonly isReading: boolean;
  /** When the body was read, in milliseconds; 0 when there is none. */
  readonly readAt: number;
}

interface Entry {
  readonly operation: Operation<Shape>;
  readonly input: AnyInput;
  known: Known<unknown>;
  isStale: boolean;
  reading: Promise<void> | undefined;
  readonly listeners: Set<() => void>;
}

/** How long an answer counts as fresh when no write has made it stale. */
const FRESH_MS = 15_000;
const ENTRIES_MAX = 300;
const nothing: Known<unknown> = { body: undefined, error: undefined, isReading: false, readAt: 0 };

export class Cache {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly client: Client,
    private readonly now: () => number = Date.now,
  ) {}

  /** The known answer of a call; the same object until it changes. */
  peek<Of extends Shape>(operation: Operation<Of>, input: Input<Of>): Known<Of['answer']> {
    return this.entryOf(operation, input as AnyInput).known as Known<Of['answer']>;
  }

  /** Tells `listener` of every change, and reads the call when it is not fresh. */
  watch<Of extends Shape>(
    operation: Operation<Of>,
    input: Input<Of>,
    listener: () => void,
  ): () => void {
    const entry = this.entryOf(operation, input as AnyInput);
    entry.listeners.add(listener);
    if (entry.isStale || this.now() - entry.known.readAt > FRESH_MS) void this.read(entry);
    return () => entry.listeners.delete(listener);
  }

  /** Reads a call now, whatever is known. */
  async refresh<Of extends Shape>(operation: Operation<Of>, input: Input<Of>): Promise<void> {
    await this.read(this.entryOf(operation, input as AnyInput));
  }

  /** Puts an answer in that is known from elsewhere: a write's, or the device's store. */
  put<Of extends Shape>(
    operation: Operation<Of>,
    input: Input<Of>,
    body: Of['answer'],
    readAt = this.now(),
  ): void {
    const entry = this.entryOf(operation, input as AnyInput);
    entry.isStale = readAt === 0;
    this.set(entry, { body, error: undefined, isReading: false, readAt });
  }

  /** Puts an old answer in, where none is known yet; it is shown, and read anew behind. */
  fill<Of extends Shape>(operation: Operation<Of>, input: Input<Of>, body: Of['answer']): void {
    const entry = this.entryOf(operation, input as AnyInput);
    if (entry.known.body !== undefined) return;
    this.set(entry, { ...entry.known, body });
  }

  /** Reads again what could not be read, as far as somebody watches it. */
  retryFailed(): void {
    for (const entry of this.entries.values()) {
      if (entry.known.error && entry.listeners.size > 0) void this.read(entry);
    }
  }

  /** Marks every answer of these calls as stale; those being watched are read again. */
  stale(...operations: readonly Named[]): void {
    const names = new Set(operations.map((operation) => operation.name));
    for (const entry of this.entries.values()) {
      if (!names.has(entry.operation.name)) continue;
      entry.isStale = true;
      if (entry.listeners.size > 0) void this.read(entry);
    }
  }

  /** Forgets everything: on sign-out, and for another user. */
  clear(): void {
    for (const [key, entry] of this.entries) {
      if (entry.listeners.size === 0) this.entries.delete(key);
      else this.set(entry, nothing);
      entry.isStale = true;
    }
  }

  private entryOf(operation: Operation<Shape>, input: AnyInput): Entry {
    const key = `${operation.name} ${addressOf(operation, input)}`;
    let entry = this.entries.get(key);
    if (!entry) {
      entry = {
        operation,
        input,
        known: nothing,
        isStale: true,
        reading: undefined,
        listeners: new Set(),
      };
      this.entries.set(key, entry);
      this.shrink();
    }
    return entry;
  }

  /** The oldest entries go that nobody watches. */
  private shrink(): void {
    for (const [key, entry] of this.entries) {
      if (this.entries.size <= ENTRIES_MAX) return;
      if (entry.listeners.size === 0) this.entries.delete(key);
    }
  }

  private async read(entry: Entry): Promise<void> {
    entry.reading ??= this.readOnce(entry).finally(() => (entry.reading = undefined));
    await entry.reading;
  }

  private async readOnce(entry: Entry): Promise<void> {
    this.set(entry, { ...entry.known, isReading: true });
    do {
      entry.isStale = false;
      try {
        const { body } = await this.client.send(entry.operation, entry.input);
        this.set(entry, { body, error: undefined, isReading: entry.isStale, readAt: this.now() });
      } catch (error) {
        entry.isStale = true;
        this.set(entry, { ...entry.known, error, isReading: false });
        return;
      }
      // A write came while the answer was on its way: it may be the old one.
    } while (entry.isStale);
  }

  private set(entry: Entry, known: Known<unknown>): void {
    entry.known = known;
    for (const listener of [...entry.listeners]) listener();
  }
}
