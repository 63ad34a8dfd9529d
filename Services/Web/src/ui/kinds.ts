/** Names and symbols of the kinds of accounts. */
import * as words from '../generated/words';
import type { IconName } from './icon';

export type AccountKind = 'wallet' | 'current' | 'deposit' | 'allowance' | 'receivable';

const icons: Readonly<Record<AccountKind, IconName>> = {
  wallet: 'wallet',
  current: 'bank',
  deposit: 'piggy',
  allowance: 'child',
  receivable: 'people',
};

export const kindIcon = (kind: AccountKind): IconName => icons[kind];

export function kindName(kind: AccountKind): string {
  switch (kind) {
    case 'wallet':
      return words.kindWallet();
    case 'current':
      return words.kindCurrent();
    case 'deposit':
      return words.kindDeposit();
    case 'allowance':
      return words.kindAllowance();
    case 'receivable':
      return words.kindReceivable();
  }
}
