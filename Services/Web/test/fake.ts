/** A fake server, host and store for the tests of src/api. */
import type { Host } from '../src/api/host';
import type { Row, RowKind, Store, Waiting } from '../src/api/store';

export interface Seen {
  readonly method: string;
  readonly address: string;
  readonly key: string | null;
  readonly tag: string | null;
  readonly body: unknown;
}

export type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | 'lost';

export class FakeHost implements Host {
  readonly seen: Seen[] = [];
  readonly waits: number[] = [];
  private clock = 1_000_000;
  private made = 0;
  private readonly locks = new Map<string, Promise<unknown>>();

  constructor(private readonly reply: (seen: Seen, number: number) => Reply | Promise<Reply>) {}

  async fetch(address: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const seen: Seen = {
      method: init.method ?? 'GET',
      address,
      key: headers.get('Idempotency-Key'),
      tag: headers.get('If-Match'),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    };
    this.seen.push(seen);
    this.clock += 1;
    const reply = await this.reply(seen, this.seen.length);
    if (reply === 'lost') throw new TypeError('network');
    const problem = reply.status >= 400;
    return new Response(reply.body === undefined ? null : JSON.stringify(reply.body), {
      status: reply.status,
      headers: {
        'Content-Type': problem ? 'application/problem+json' : 'application/json',
        ...reply.headers,
      },
    });
  }

  async exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.locks.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.locks.set(name, mine.catch(() => undefined));
    return mine;
  }

  async wait(milliseconds: number): Promise<void> {
    this.waits.push(milliseconds);
    this.clock += milliseconds;
  }

  uuid = (): string => `key-${++this.made}`;
  now = (): number => this.clock;
  random = (): number => 0.5;
}

export class MemoryStore implements Store {
  private readonly all = new Map<string, Row>();
  private readonly queue = new Map<string, Waiting>();
  private readonly other = new Map<string, unknown>();
  private at: string | undefined;

  rows = async (kind: RowKind): Promise<readonly Row[]> =>
    [...this.all.values()].filter((row) => row.kind === kind);
  cursor = async (): Promise<string | undefined> => this.at;
  waiting = async (): Promise<readonly Waiting[]> =>
    [...this.queue.values()].sort((one, other) => one.createdAt - other.createdAt);

  async apply(change: {
    put: readonly Row[];
    remove: readonly Row[];
    cursor?: string | undefined;
  }): Promise<void> {
    for (const row of change.remove) this.all.delete(`${row.kind} ${row.id}`);
    for (const row of change.put) this.all.set(`${row.kind} ${row.id}`, row);
    this.at = change.cursor ?? this.at;
  }

  async emptyRows(): Promise<void> {
    this.all.clear();
    this.at = undefined;
  }

  async putWaiting(item: Waiting): Promise<void> {
    this.queue.set(item.id, item);
  }

  async removeWaiting(id: string): Promise<void> {
    this.queue.delete(id);
  }

  async keep(name: string, value: unknown): Promise<void> {
    this.other.set(name, value);
  }

  kept = async (name: string): Promise<unknown> => this.other.get(name);

  async wipe(): Promise<void> {
    this.all.clear();
    this.queue.clear();
    this.other.clear();
  }
}
