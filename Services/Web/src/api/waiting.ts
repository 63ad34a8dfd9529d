/** Transactions that wait to be sent, as rows for lists and totals. */
import type { NewTransaction } from '../generated/api';
import { useWaiting } from './react';
import type { Waiting } from './store';

export interface WaitingTransaction {
  readonly item: Waiting;
  readonly body: NewTransaction;
  readonly state: 'waiting' | 'refused';
}

export const useWaitingTransactions = (): readonly WaitingTransaction[] =>
  useWaiting()
    .filter((item) => item.operation.name === 'recordTransaction')
    .map((item) => ({
      item,
      body: item.input.body as NewTransaction,
      state: item.refusal ? ('refused' as const) : ('waiting' as const),
    }))
    .reverse();
