/** Writes of the transactions' screens. */
import {
  deleteTransactions,
  getBalanceReport,
  getCategoryReport,
  listAccounts,
  listCategories,
  listTransactions,
  makeCategory,
  recordTransaction,
  undoDeletion,
  type DeletionView,
  type NewTransaction,
  type OfferedCategory,
} from '../../generated/api';
import { isConnected } from '../../api/connection';
import { Refusal } from '../../api/refusal';
import { cache, client, currentDevice, staleAll } from '../../api/session';

/** The calls that a changed transaction makes stale. */
const stale = [listTransactions, listAccounts, getBalanceReport, getCategoryReport];

/** How long the sheet waits for the server before it says that the write is kept here. */
const PATIENCE_MS = 3_000;

/**
 * Writes a transaction down: stored on the device first, then sent.
 * @returns whether the server has it, or the device only until there is a connection.
 * @throws what the server refuses.
 */
export async function record(body: NewTransaction): Promise<'sent' | 'kept'> {
  const queue = currentDevice()?.queue;
  if (!queue) {
    await client.call(recordTransaction, { body });
    staleAll(...stale);
    return 'sent';
  }
  const item = await queue.add(recordTransaction, { body }, { resource: 'transactions', stale });
  const outcome = await queue.outcome(item, isConnected() ? PATIENCE_MS : 0);
  if (outcome.kind !== 'refused') return outcome.kind === 'sent' ? 'sent' : 'kept';
  await queue.drop(outcome.item);
  const { status = 0, code = '', detail = '' } = outcome.item.refusal ?? {};
  throw new Refusal(status, code as Refusal['code'], detail, '');
}

export async function removeAll(ids: readonly string[]): Promise<DeletionView> {
  const deletion = await client.call(deleteTransactions, { body: { ids } });
  staleAll(...stale);
  return deletion;
}

export async function restore(deletion: DeletionView): Promise<void> {
  await client.call(undoDeletion, { path: { id: deletion.id } });
  staleAll(...stale);
}

/** Makes an offered category one's own, in the user's language. */
export async function adopt(offered: OfferedCategory, name: string): Promise<string> {
  const { color, symbol, type, coicop } = offered;
  const made = await client.call(makeCategory, { body: { name, color, symbol, type, coicop } });
  cache.stale(listCategories);
  return made.id;
}
