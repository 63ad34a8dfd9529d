/**
 * Stores the data of one user on a device: rows of the ledger, the cursor of their age, answers
 * that were read last, and writes that wait to be sent.
 */
import type { ChangeItem } from '../generated/api';
import type { AnyInput } from './operation';

export type RowKind = ChangeItem['kind'];

export interface Row {
  readonly kind: RowKind;
  readonly id: string;
  readonly value: unknown;
}

/** A write that waits; `id` is its idempotency key. */
export interface Waiting {
  readonly id: string;
  readonly operation: {
    readonly name: string;
    readonly method: string;
    readonly path: string;
    readonly takesKey: boolean;
    readonly takesTag: boolean;
  };
  readonly input: AnyInput;
  readonly tag?: string | undefined;
  /** Writes of one resource are sent in their order. */
  readonly resource: string;
  /** Names of the calls that it makes stale. */
  readonly stale: readonly string[];
  readonly createdAt: number;
  /** How often it was sent without an answer: it may have happened. */
  readonly tries: number;
  readonly refusal?: {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
  } | undefined;
}

export interface Store {
  rows(kind: RowKind): Promise<readonly Row[]>;
  /** The rows and the cursor change together, or not at all. */
  apply(change: {
    put: readonly Row[];
    remove: readonly Row[];
    cursor?: string | undefined;
  }): Promise<void>;
  cursor(): Promise<string | undefined>;
  /** Forgets rows and cursor, and keeps what waits. */
  emptyRows(): Promise<void>;
  waiting(): Promise<readonly Waiting[]>;
  putWaiting(item: Waiting): Promise<void>;
  removeWaiting(id: string): Promise<void>;
  keep(name: string, value: unknown): Promise<void>;
  kept(name: string): Promise<unknown>;
  /** Deletes everything of this user from the device. */
  wipe(): Promise<void>;
}
