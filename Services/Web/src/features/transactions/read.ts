/** Reads of the transactions' screens. */
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  getMe,
  listAccounts,
  listCategories,
  listTransactions,
  type TransactionPage,
  type TransactionView,
} from '../../generated/api';
import { everyAccount, everyCategory, firstTransactions } from '../../api/offline';
import { useRead } from '../../api/react';
import { client } from '../../api/session';
import { today } from '../../domain/days';

export interface Filter {
  readonly query?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly accountId?: readonly string[] | undefined;
  readonly categoryId?: readonly string[] | undefined;
}

/** Reads the user, the day, accounts and categories, which all these screens need. */
export function useSurroundings() {
  const me = useRead(getMe, {}).body;
  const zone = me?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    me,
    day: today(zone),
    accounts: useRead(listAccounts, everyAccount).body?.items ?? none,
    categories: useRead(listCategories, everyCategory).body?.items ?? none,
  };
}

const none: readonly never[] = [];

/** The first page comes from the cache; the next ones follow by cursor as the list is scrolled. */
export function useTransactions(filter: Filter) {
  const key = JSON.stringify(filter);
  const first = useRead(listTransactions, { query: { ...filter, ...firstTransactions.query } });
  const [more, setMore] = useState<readonly TransactionPage[]>([]);
  const reading = useRef(false);
  useEffect(() => setMore([]), [key, first.body]);
  const last = more[more.length - 1] ?? first.body;
  const cursor = last?.nextCursor;

  const next = useCallback(() => {
    if (!cursor || reading.current) return;
    reading.current = true;
    client
      .call(listTransactions, { query: { ...filter, ...firstTransactions.query, cursor } })
      .then((page) => setMore((before) => [...before, page]))
      .catch(() => undefined)
      .finally(() => (reading.current = false));
  }, [key, cursor]);

  const rows: TransactionView[] = [
    ...(first.body?.items ?? []),
    ...more.flatMap((page) => page.items)
  ];
  return { first, rows, next: cursor ? next : undefined };
}
