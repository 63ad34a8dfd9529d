/** The links of the navigation; a screen that is not built has no link here. */
import * as words from '../generated/words';
import type { IconName } from '../ui/icon';

export interface Place {
  readonly to: string;
  readonly icon: IconName;
  readonly name: () => string;
  readonly key?: string;
}

/** Screens that are built; the side shows all, the phone's bar the first four around the plus. */
export const sidePlaces: readonly Place[] = [
  { to: '/', icon: 'home', name: words.navHome, key: 'h' },
  { to: '/transactions', icon: 'list', name: words.navTransactions, key: 't' },
];

export const barPlaces: readonly Place[] = [
  { to: '/', icon: 'home', name: words.navHome },
  { to: '/transactions', icon: 'list', name: words.navMoney },
];
