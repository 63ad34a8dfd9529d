/** The one client of the page: calls, cache, and what the device keeps of who is signed in. */
import { getMe, type UserView } from '../generated/api';
import { Cache } from './cache';
import { Client } from './client';
import { isConnected, onConnection, setConnected, watchNetwork } from './connection';
import { openStore, wipeOthers } from './database';
import { browserHost } from './host';
import { fillFromStore, keepUp } from './offline';
import type { Named } from './operation';
import { Queue, type QueueEvents } from './queue';
import type { Store, Waiting } from './store';

export const client = new Client();
export const cache = new Cache(client);
client.onReach = setConnected;
watchNetwork(() => void device?.queue.drain());
onConnection(() => isConnected() && cache.retryFailed());

/** The user as the device knows them before the server has answered; nothing secret. */
export interface KnownUser {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly theme: UserView['theme'];
  readonly dateFormat?: UserView['dateFormat'] | undefined;
  readonly signedInAt: number;
}

/** Reports follow the ledger within a second: they are read once more. */
const REPORTS_FOLLOW_MS = 1_500;

/** Marks calls as stale after a write, now and when the reports have followed. */
export function staleAll(...operations: readonly Named[]): void {
  cache.stale(...operations);
  setTimeout(() => cache.stale(...operations), REPORTS_FOLLOW_MS);
}

const KEY = 'ezwallet-user';
const KNOWN_MS = 7 * 86_400_000;

export function knownUser(): KnownUser | undefined {
  try {
    const user = JSON.parse(localStorage.getItem(KEY) ?? 'null') as KnownUser | null;
    return user && Date.now() - user.signedInAt < KNOWN_MS ? user : undefined;
  } catch {
    return undefined;
  }
}

export function remember(user: UserView): KnownUser {
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username;
  const { id, language, theme, dateFormat } = user;
  const known = { id, name, language, theme, dateFormat, signedInAt: Date.now() };
  localStorage.setItem(KEY, JSON.stringify(known));
  return known;
}

/** The store and the queue of a signed-in user on this device. */
export interface Device {
  readonly userId: string;
  readonly store: Store;
  readonly queue: Queue;
}

let device: Device | undefined;
let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

export const currentDevice = (): Device | undefined => device;
export const waitingWrites = (): readonly Waiting[] => waiting;
export function onWaiting(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Opens the user's store, which fills the screens; a store of anybody else is deleted.
 *
 * Nothing is sent before `runDevice`: the session may be another user's.
 */
export async function openDevice(userId: string, events: QueueEvents): Promise<Device> {
  await wipeOthers(userId);
  const store = await openStore(userId);
  const queue = new Queue(client, store, browserHost, {
    ...events,
    changed: (items) => {
      waiting = items;
      tell();
    },
    sent: (item, body) => {
      staleAll(...item.stale.map((name) => ({ name })));
      events.sent?.(item, body);
      void keepUp(client, store);
    },
  });
  queue.hold();
  device = { userId, store, queue };
  waiting = await store.waiting();
  await fillFromStore(cache, store);
  tell();
  return device;
}

/** Begins to send and to read changes, once the server has said that the user is this one. */
export function runDevice(): void {
  if (!device) return;
  device.queue.resume();
  void keepUp(client, device.store);
}

/** After signing in again: the same user goes on, and for another one the page begins anew. */
export async function goOn(): Promise<void> {
  const me = await readMe();
  if (device && device.userId !== me.id) {
    await forget();
    remember(me);
    location.replace('/');
    return;
  }
  remember(me);
  runDevice();
  cache.retryFailed();
}

/** Reads who is signed in. */
export async function readMe(): Promise<UserView> {
  const me = await client.call(getMe, {});
  cache.put(getMe, {}, me);
  return me;
}

/** Forgets the user on this device: store, cache and name. */
export async function forget(): Promise<void> {
  localStorage.removeItem(KEY);
  cache.clear();
  device?.queue.close();
  await device?.store.wipe();
  device = undefined;
  waiting = [];
  await wipeOthers(undefined);
  tell();
}
