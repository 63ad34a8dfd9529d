/** The store in IndexedDB: one database for each user. */
import type { Row, RowKind, Store, Waiting } from './store';

const VERSION = 1;
const PREFIX = 'ezwallet-';

function finished<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, VERSION);
  request.onupgradeneeded = () => {
    const database = request.result;
    const rows = database.createObjectStore('rows', { keyPath: ['kind', 'id'] });
    rows.createIndex('kind', 'kind');
    database.createObjectStore('waiting', { keyPath: 'id' });
    database.createObjectStore('kept');
  };
  return finished(request);
}

/** Deletes the databases of every user but one. */
export async function wipeOthers(userId: string | undefined): Promise<void> {
  const known = 'databases' in indexedDB ? await indexedDB.databases() : [];
  for (const { name } of known) {
    if (name?.startsWith(PREFIX) && name !== PREFIX + (userId ?? '')) {
      await finished(indexedDB.deleteDatabase(name));
    }
  }
}

export async function openStore(userId: string): Promise<Store> {
  const name = PREFIX + userId;
  const database = await open(name);
  // Another tab that wipes the store must not wait for this one.
  database.onversionchange = () => database.close();
  const read = <Result>(from: string, ask: (store: IDBObjectStore) => IDBRequest<Result>) =>
    finished(ask(database.transaction(from).objectStore(from)));
  const write = async (
    to: readonly string[],
    work: (of: (name: string) => IDBObjectStore) => void,
  ) => {
    const transaction = database.transaction([...to], 'readwrite', { durability: 'strict' });
    work((store) => transaction.objectStore(store));
    await committed(transaction);
  };
  return {
    rows: (kind: RowKind) =>
      read('rows', (store) => store.index('kind').getAll(kind) as IDBRequest<Row[]>),
    apply: ({ put, remove, cursor }) =>
      write(['rows', 'kept'], (of) => {
        for (const row of remove) of('rows').delete([row.kind, row.id]);
        for (const row of put) of('rows').put(row);
        if (cursor !== undefined) of('kept').put(cursor, 'cursor');
      }),
    cursor: () => read('kept', (store) => store.get('cursor') as IDBRequest<string | undefined>),
    emptyRows: () =>
      write(['rows', 'kept'], (of) => {
        of('rows').clear();
        of('kept').delete('cursor');
      }),
    waiting: async () => {
      const items = await read('waiting', (store) => store.getAll() as IDBRequest<Waiting[]>);
      return items.sort((one, other) => one.createdAt - other.createdAt);
    },
    putWaiting: (item) => write(['waiting'], (of) => of('waiting').put(item)),
    removeWaiting: (id) => write(['waiting'], (of) => of('waiting').delete(id)),
    keep: (key, value) => write(['kept'], (of) => of('kept').put(value, `kept ${key}`)),
    kept: (key) => read('kept', (store) => store.get(`kept ${key}`) as IDBRequest<unknown>),
    wipe: async () => {
      database.close();
      await finished(indexedDB.deleteDatabase(name));
    },
  };
}
