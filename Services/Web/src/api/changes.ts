/**
 * Brings the device's rows up to date with `/v1/changes`.
 *
 * Each page is stored together with its cursor, so that a page is never counted without its rows.
 * A row may come twice; the later one is the same or newer. When the server has another epoch
 * (409 `resync-required`) the rows are dropped and read anew. What waits to be sent stays.
 */
import {
  getAccount,
  getFolder,
  listChanges,
  listTransactions,
  type AccessChange,
  type ChangeItem,
} from '../generated/api';
import type { Client } from './client';
import { isRefusal } from './refusal';
import type { Row, RowKind, Store } from './store';

const PAGE = 200;

/** @returns whether anything has changed. */
export async function catchUp(client: Client, store: Store): Promise<boolean> {
  let isChanged = false;
  let isFresh = false;
  for (;;) {
    const since = await store.cursor();
    try {
      const page = await client.call(listChanges, { query: { since, limit: PAGE } });
      await applyPage(client, store, page.items, page.next);
      isChanged ||= page.items.length > 0;
      if (!page.more) return isChanged;
    } catch (error) {
      if (!isRefusal(error, 'resync-required') || isFresh) throw error;
      isFresh = true;
      isChanged = true;
      await store.emptyRows();
    }
  }
}

async function applyPage(
  client: Client,
  store: Store,
  items: readonly ChangeItem[],
  cursor: string,
): Promise<void> {
  const rows = new Map<string, Row>();
  const gone = new Map<string, Row>();
  for (const item of items) {
    const key = `${item.kind} ${item.id}`;
    if (item.access) {
      const { put, remove } = await access(client, store, item.access);
      for (const row of remove) gone.set(`${row.kind} ${row.id}`, row);
      for (const row of put) rows.set(`${row.kind} ${row.id}`, row);
    } else if (item.deletedAt) {
      rows.delete(key);
      gone.set(key, { kind: item.kind, id: item.id, value: undefined });
    } else {
      gone.delete(key);
      rows.set(key, { kind: item.kind, id: item.id, value: valueOf(item) });
    }
  }
  await store.apply({ put: [...rows.values()], remove: [...gone.values()], cursor });
}

function valueOf(item: ChangeItem): unknown {
  const value = item[item.kind as Exclude<RowKind, 'access'>];
  return item.attachments ? { ...value, attachments: item.attachments } : value;
}

/** A wallet or folder of somebody else that became visible, or is no longer. */
async function access(
  client: Client,
  store: Store,
  change: AccessChange,
): Promise<{ put: Row[]; remove: Row[] }> {
  if (change.action === 'load') return { put: await load(client, change), remove: [] };
  const field = change.accountId ? 'accountId' : 'folderId';
  const id = change.accountId ?? change.folderId ?? '';
  const transactions = await store.rows('transaction');
  const remove = transactions.filter((row) => (row.value as Record<string, unknown>)[field] === id);
  return {
    put: [],
    remove: [...remove, { kind: change.accountId ? 'account' : 'folder', id, value: undefined }],
  };
}

async function load(client: Client, change: AccessChange): Promise<Row[]> {
  const { accountId, folderId } = change;
  const rows: Row[] = [];
  if (accountId) {
    const value = await client.call(getAccount, { path: { id: accountId } });
    rows.push({ kind: 'account', id: accountId, value });
  } else if (folderId) {
    const value = await client.call(getFolder, { path: { id: folderId } });
    rows.push({ kind: 'folder', id: folderId, value });
  }
  for (let cursor: string | undefined; ; ) {
    const page = await client.call(listTransactions, {
      query: { accountId: accountId ? [accountId] : undefined, folderId, cursor, limit: PAGE },
    });
    for (const value of page.items) rows.push({ kind: 'transaction', id: value.id, value });
    cursor = page.nextCursor;
    if (!cursor) return rows;
  }
}
