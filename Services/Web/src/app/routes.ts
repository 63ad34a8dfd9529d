/** Every screen: one line each. The build writes the paths for the gateway from here. */
import * as words from '../generated/words';
import { greeting } from './greeting';
import type { Route } from './router';

type More = Partial<Pick<Route, 'heading' | 'over'>>;
type Of = Route['for'];
const route =
  (of: Of) =>
  (path: string, title: Route['title'], load: Route['load'], more: More = {}): Route => ({
    path, for: of, title, load, ...more,
  });
/** Screens of the gate, without sidebar and bar. */
const gate = route('anyone');
/** Screens of people who are signed in. */
const user = route('user');

export const routes: readonly Route[] = [
  gate('/sign-in', words.titleSignIn, () => import('../features/gate/SignIn')),
  gate('/sign-up', words.titleSignUp, () => import('../features/gate/SignUp')),
  user('/', words.titleHome, () => import('../features/home/Home'), { heading: greeting }),
  user('/transactions', words.titleTransactions, () => import('../features/transactions/Transactions')),
  user('/transactions/new', words.titleAdd, () => import('../features/transactions/Add'), { over: '/' }),
];
