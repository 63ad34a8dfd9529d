import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cache } from '../src/api/cache';
import { catchUp } from '../src/api/changes';
import { Client } from '../src/api/client';
import { everyAccount, fillFromStore, firstTransactions } from '../src/api/offline';
import { getMe, listAccounts, listTransactions } from '../src/generated/api';
import { FakeHost, MemoryStore } from './fake';

const account = (id: string, name = id) => ({ kind: 'account', id, account: { id, name } });

test('pagesAreStoredWithTheirCursor', async () => {
  const host = new FakeHost((seen) => ({
    status: 200,
    body: seen.address.includes('since=c1')
      ? {
        items: [{ kind: 'account', id: 'a', deletedAt: '2026-11-28T00:00:00Z' }, account('c')],
        next: 'c2',
        more: false,
      }
      : { items: [account('a'), account('b'), account('b', 'newer')], next: 'c1', more: true },
  }));
  const store = new MemoryStore();
  assert.equal(await catchUp(new Client(host), store), true);
  assert.deepEqual((await store.rows('account')).map((row) => row.id), ['b', 'c']);
  assert.deepEqual((await store.rows('account'))[0]?.value, { id: 'b', name: 'newer' });
  assert.equal(await store.cursor(), 'c2');
});

test('otherEpochReadsAnew', async () => {
  const host = new FakeHost((seen) => seen.address.includes('since=old')
    ? { status: 409, body: { code: 'resync-required', detail: '', traceId: 't' } }
    : { status: 200, body: { items: [account('n')], next: 'new', more: false } });
  const store = new MemoryStore();
  await store.apply({ put: [{ kind: 'account', id: 'x', value: {} }], remove: [], cursor: 'old' });
  await catchUp(new Client(host), store);
  assert.deepEqual((await store.rows('account')).map((row) => row.id), ['n']);
});

test('droppedWalletTakesItsRowsAlong', async () => {
  const host = new FakeHost(() => ({
    status: 200,
    body: {
      items: [{ kind: 'access', id: 'z', access: { accountId: 'w', action: 'drop' } }],
      next: 'n',
      more: false,
    },
  }));
  const store = new MemoryStore();
  const put = [
    { kind: 'transaction' as const, id: 't1', value: { accountId: 'w' } },
    { kind: 'transaction' as const, id: 't2', value: { accountId: 'mine' } },
    { kind: 'account' as const, id: 'w', value: {} },
  ];
  await store.apply({ put, remove: [], cursor: 'c' });
  await catchUp(new Client(host), store);
  assert.deepEqual((await store.rows('transaction')).map((row) => row.id), ['t2']);
  assert.equal((await store.rows('account')).length, 0);
});

test('watchedCallIsReadAgainWhenStale', async () => {
  const host = new FakeHost((_, number) => ({ status: 200, body: { items: [], count: number } }));
  const cache = new Cache(new Client(host), host.now);
  let told = 0;
  const stop = cache.watch(listAccounts, {}, () => (told += 1));
  await cache.refresh(listAccounts, {});
  cache.stale(listAccounts);
  await cache.refresh(listAccounts, {});
  assert.equal(host.seen.length, 2);
  assert.ok(told >= 3);
  stop();
  cache.stale(listAccounts);
  assert.equal(host.seen.length, 2);
});

test('failedReadKeepsWhatIsKnown', async () => {
  const host = new FakeHost((_, number) => number === 1
    ? { status: 200, body: { id: 'me' } }
    : { status: 404, body: { code: 'not-found', detail: 'Gone.', traceId: 't' } });
  const cache = new Cache(new Client(host), host.now);
  await cache.refresh(getMe, {});
  await cache.refresh(getMe, {});
  const known = cache.peek(getMe, {});
  assert.equal(known.body?.id, 'me');
  assert.ok(known.error !== undefined);
});

test('storeFillsTheCacheWithoutReplacingAnswers', async () => {
  const host = new FakeHost(() => ({ status: 200, body: { items: [account('fresh').account] } }));
  const cache = new Cache(new Client(host), host.now);
  const store = new MemoryStore();
  const put = [
    '2026-11-01',
    '2026-11-03',
    '2026-11-02',
  ].map((date) => ({ kind: 'transaction' as const, id: date, value: { id: date, date } }));
  await store.apply({
    put: [...put, { kind: 'account', id: 'old', value: { id: 'old' } }],
    remove: [],
    cursor: 'c',
  });
  await cache.refresh(listAccounts, everyAccount);
  await fillFromStore(cache, store);
  assert.equal(cache.peek(listAccounts, everyAccount).body?.items[0]?.id, 'fresh');
  const days = cache.peek(listTransactions, firstTransactions).body?.items.map((one) => one.date);
  assert.deepEqual(days, ['2026-11-03', '2026-11-02', '2026-11-01']);
});
