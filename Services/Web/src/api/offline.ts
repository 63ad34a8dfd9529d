/**
 * Shows the device's rows before, or without, an answer of the server: they are put into the read
 * cache as old answers of the calls that screens make.
 */
import {
  getMe,
  listAccounts,
  listCategories,
  listTransactions,
  type AccountView,
  type CategoryView,
  type TransactionView,
  type UserView,
} from '../generated/api';
import type { Cache } from './cache';
import { catchUp } from './changes';
import type { Client } from './client';
import type { Store } from './store';

/** The calls that the store can answer; screens use these inputs. */
export const everyAccount = { query: { limit: 200 } } as const;
export const everyCategory = { query: { limit: 200 } } as const;
export const latestTransactions = { query: { limit: 6 } } as const;
export const firstTransactions = { query: { limit: 100 } } as const;

const values = async <Value>(
  store: Store,
  kind: 'account' | 'category' | 'transaction',
): Promise<Value[]> =>
  (await store.rows(kind)).map((row) => row.value as Value);

/** Newest day first, and within a day the newest first: the order of the API. */
const byDate = (one: TransactionView, other: TransactionView): number =>
  one.date === other.date ? (one.id < other.id ? 1 : -1) : one.date < other.date ? 1 : -1;

/** Fills the cache from the store; what was read meanwhile stays. */
export async function fillFromStore(cache: Cache, store: Store): Promise<void> {
  const me = (await store.kept('me')) as UserView | undefined;
  if (me) cache.fill(getMe, {}, me);
  if ((await store.cursor()) === undefined) return;
  const accounts = await values<AccountView>(store, 'account');
  const transactions = (await values<TransactionView>(store, 'transaction')).sort(byDate);
  cache.fill(listAccounts, everyAccount, { items: accounts.filter((one) => !one.closedAt) });
  cache.fill(
    listCategories,
    everyCategory,
    { items: await values<CategoryView>(store, 'category') },
  );
  cache.fill(listTransactions, latestTransactions, { items: transactions.slice(0, 6) });
  // No further pages without the server: the whole store is one.
  cache.fill(listTransactions, firstTransactions, { items: transactions });
}

/** Brings the store up to date; a lost connection is met again at the next write or visit. */
export async function keepUp(client: Client, store: Store): Promise<void> {
  await catchUp(client, store).catch(() => false);
}
