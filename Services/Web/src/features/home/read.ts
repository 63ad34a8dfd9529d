/** Reads of Home. */
import {
  getBalanceReport,
  getCategoryReport,
  getMe,
  listAccounts,
  listCategories,
  listTransactions,
} from '../../generated/api';
import { everyAccount, everyCategory, latestTransactions } from '../../api/offline';
import { useRead } from '../../api/react';
import { addDays, today } from '../../domain/days';

const DAYS = 30;

export function useHome() {
  const me = useRead(getMe, {});
  const zone = me.body?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const day = today(zone);
  return {
    day,
    me,
    accounts: useRead(listAccounts, everyAccount),
    categories: useRead(listCategories, everyCategory),
    latest: useRead(listTransactions, latestTransactions),
    spent: useRead(
      getCategoryReport,
      { query: { from: `${day.slice(0, 7)}-01`, to: day, direction: 'out' } },
    ),
    balances: useRead(
      getBalanceReport,
      { query: { from: addDays(day, -DAYS), to: day, interval: 'day' } },
    ),
  };
}
