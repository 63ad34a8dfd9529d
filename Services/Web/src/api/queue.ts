/**
 * Writes that wait until the server has answered.
 *
 *     waiting ──sent──▶ (gone, with its answer)
 *        │  ▲
 *        │  └── no answer: tried again with the same key, later and later
 *        └─refused──▶ refused: stays, with its reason, until it is edited or dropped
 *
 * A write is stored before it is sent, and deleted after it was answered: a page that dies between
 * the two sends it again with the same key, which cannot double it. One tab sends at a time. Writes
 * of one resource are sent in order; a refused one holds back those after it.
 */
import type { Client } from './client';
import type { Host } from './host';
import type { Input, Named, Operation, Shape } from './operation';
import { isPassing, Refusal, SessionEnded } from './refusal';
import type { Store, Waiting } from './store';

export interface QueueEvents {
  /** The list of what waits has changed. */
  changed?: (items: readonly Waiting[]) => void;
  /** The server has answered; the calls named are stale. */
  sent?: (item: Waiting, body: unknown) => void;
  /** The server has refused for good. */
  refused?: (item: Waiting) => void;
}

/** The outcome of a write that was waited for. */
export type Outcome =
  | { readonly kind: 'sent' | 'waiting' }
  | { readonly kind: 'refused'; readonly item: Waiting };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const WAITING_MAX = 500;

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

export class Queue {
  private isClosed = false;
  private isHeld = false;
  private draining: Promise<void> | undefined;
  private failures = 0;
  private wake: (() => void) | undefined;
  private readonly outcomes = new Map<string, (outcome: Outcome) => void>();

  constructor(
    private readonly client: Client,
    private readonly store: Store,
    private readonly host: Host,
    private readonly events: QueueEvents = {},
  ) {}

  /** Stores a write and begins to send it. */
  async add<Of extends Shape>(
    operation: Operation<Of>,
    input: Input<Of>,
    about: { resource: string; stale?: readonly Named[]; tag?: string },
  ): Promise<Waiting> {
    if ((await this.store.waiting()).length >= WAITING_MAX) throw new QueueFull('too many wait');
    const { name, method, path, takesKey, takesTag } = operation;
    const item: Waiting = {
      id: this.host.uuid(),
      operation: { name, method, path, takesKey, takesTag },
      input,
      tag: about.tag,
      resource: about.resource,
      stale: (about.stale ?? []).map((stale) => stale.name),
      createdAt: this.host.now(),
      tries: 0,
    };
    await this.store.putWaiting(item);
    await this.changed();
    void this.drain();
    return item;
  }

  /** Waits this long for the outcome of a write; the write stays queued afterwards. */
  async outcome(item: Waiting, milliseconds: number): Promise<Outcome> {
    const answered = new Promise<Outcome>((resolve) => this.outcomes.set(item.id, resolve));
    try {
      const now = (await this.store.waiting()).find((one) => one.id === item.id);
      if (!now) return { kind: 'sent' };
      if (now.refusal) return { kind: 'refused', item: now };
      const late = this.host.wait(milliseconds).then((): Outcome => ({ kind: 'waiting' }));
      return await Promise.race([answered, late]);
    } finally {
      this.outcomes.delete(item.id);
    }
  }

  /** Whether a write can still be edited: it was never sent, or it was refused. */
  static isEditable(item: Waiting): boolean {
    return item.tries === 0 || item.refusal !== undefined;
  }

  /** Replaces a write that has not been sent; a new key, for the body is another one. */
  async edit(item: Waiting, input: Waiting['input']): Promise<Waiting> {
    if (!Queue.isEditable(item)) throw new Error('it may have been sent');
    const next: Waiting = { ...item, id: this.host.uuid(), input, tries: 0, refusal: undefined };
    await this.store.putWaiting(next);
    await this.store.removeWaiting(item.id);
    await this.changed();
    void this.drain();
    return next;
  }

  async drop(item: Waiting): Promise<void> {
    await this.store.removeWaiting(item.id);
    await this.changed();
    void this.drain();
  }

  items(): Promise<readonly Waiting[]> {
    return this.store.waiting();
  }

  /** Stops sending for good; what waits stays on the device. */
  close(): void {
    this.isClosed = true;
  }

  /** Sends nothing until it is known whose session it is: writes belong to one user. */
  hold(): void {
    this.isHeld = true;
  }

  resume(): void {
    this.isHeld = false;
    void this.drain();
  }

  /** Sends what waits until it is empty, refused or unreachable. */
  async drain(): Promise<void> {
    if (this.wake) {
      this.failures = 0;
      this.wake();
    }
    this.draining ??= this.host
      .exclusively('ezwallet-queue', () => this.sendAll())
      .finally(() => (this.draining = undefined));
    await this.draining;
  }

  private async sendAll(): Promise<void> {
    while (!this.isClosed && !this.isHeld) {
      const item = nextOf(await this.store.waiting());
      if (!item) return;
      const isAnswered = await this.sendOne(item);
      if (isAnswered === 'stop') return;
      if (isAnswered) this.failures = 0;
      else await this.pause();
    }
  }

  /** Waits before the next try; a network that is back ends the wait. */
  private async pause(): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    await Promise.race([this.host.wait(this.backoff()), woken]);
    this.wake = undefined;
  }

  private backoff(): number {
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.failures, LONGEST_WAIT_MS);
    this.failures += 1;
    return wait * (0.5 + this.host.random());
  }

  private async sendOne(item: Waiting): Promise<boolean | 'stop'> {
    const sent = { ...item, tries: item.tries + 1 };
    await this.store.putWaiting(sent);
    try {
      const options = { key: item.id, tries: 1, ...(item.tag ? { tag: item.tag } : {}) };
      const { body } = await this.client.send(item.operation, item.input, options);
      await this.store.removeWaiting(item.id);
      this.settle(item.id, { kind: 'sent' });
      this.events.sent?.(sent, body);
      await this.changed();
      return true;
    } catch (error) {
      if (error instanceof SessionEnded) return 'stop';
      if (isPassing(error)) return false;
      if (!(error instanceof Refusal)) throw error;
      if (isRepeatedDeletion(item, error)) {
        await this.store.removeWaiting(item.id);
        this.events.sent?.(sent, undefined);
        await this.changed();
        return true;
      }
      const { status, code, detail } = error;
      const refused = { ...sent, refusal: { status, code, detail } };
      await this.store.putWaiting(refused);
      // A caller that waits for the outcome shows the refusal; else the event reports it.
      if (!this.settle(item.id, { kind: 'refused', item: refused })) this.events.refused?.(refused);
      await this.changed();
      return true;
    }
  }

  private settle(id: string, outcome: Outcome): boolean {
    const waiting = this.outcomes.get(id);
    waiting?.(outcome);
    return waiting !== undefined;
  }

  private async changed(): Promise<void> {
    this.events.changed?.(await this.store.waiting());
  }
}

/** The oldest write of a resource that no refused one holds back. */
function nextOf(items: readonly Waiting[]): Waiting | undefined {
  const held = new Set<string>();
  for (const item of items) {
    if (held.has(item.resource)) continue;
    if (!item.refusal) return item;
    held.add(item.resource);
  }
  return undefined;
}

/** A deletion without key whose first answer was lost finds nothing the second time. */
const isRepeatedDeletion = (item: Waiting, refusal: Refusal): boolean =>
  item.operation.method === 'DELETE' && item.tries > 0 && refusal.status === 404;
