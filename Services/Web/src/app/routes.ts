/** Every screen: one line each. The build writes the paths for the gateway from here. */
import * as words from '../generated/words';
import { greeting } from './greeting';
import type { Route } from './router';

export const routes: readonly Route[] = [
  {
    path: '/sign-in',
    for: 'anyone',
    title: words.titleSignIn,
    load: () => import('../features/gate/SignIn'),
  },
  {
    path: '/sign-up',
    for: 'anyone',
    title: words.titleSignUp,
    load: () => import('../features/gate/SignUp'),
  },
  {
    path: '/',
    for: 'user',
    title: words.titleHome,
    heading: greeting,
    load: () => import('../features/home/Home'),
  },
  {
    path: '/transactions',
    for: 'user',
    title: words.titleTransactions,
    load: () => import('../features/transactions/Transactions'),
  },
  {
    path: '/transactions/new',
    for: 'user',
    title: words.titleAdd,
    load: () => import('../features/transactions/Add'),
    over: '/',
  },
];
