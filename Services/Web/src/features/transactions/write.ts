/** What the transactions' screens do. */
import {
  deleteTransactions,
  getBalanceReport,
  getCategoryReport,
  listAccounts,
  listTransactions,
  recordTransaction,
  undoDeletion,
  type DeletionView,
  type NewTransaction,
} from '../../generated/api';
import { cache, client, currentDevice } from '../../api/session';

/** What a changed transaction makes stale. */
const stale = [listTransactions, listAccounts, getBalanceReport, getCategoryReport];

/**
 * Writes a transaction down: stored on the device first, then sent.
 * @returns whether it is only here until there is a connection.
 */
export async function record(body: NewTransaction): Promise<'sent' | 'kept'> {
  const device = currentDevice();
  if (!device) {
    await client.call(recordTransaction, { body });
    cache.stale(...stale);
    return 'sent';
  }
  await device.queue.add(recordTransaction, { body }, { resource: 'transactions', stale });
  return navigator.onLine ? 'sent' : 'kept';
}

export async function removeAll(ids: readonly string[]): Promise<DeletionView> {
  const deletion = await client.call(deleteTransactions, { body: { ids } });
  cache.stale(...stale);
  return deletion;
}

export async function restore(deletion: DeletionView): Promise<void> {
  await client.call(undoDeletion, { path: { id: deletion.id } });
  cache.stale(...stale);
}
