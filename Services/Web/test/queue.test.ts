import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '../src/api/client';
import { Queue } from '../src/api/queue';
import {
  changeTransaction,
  deleteTransaction,
  listTransactions,
  recordTransaction,
} from '../src/generated/api';
import { FakeHost, MemoryStore, type Reply } from './fake';

const expense = { body: { amount: { amount: '-12.50', currency: 'EUR' } } };
const refused: Reply = {
  status: 422,
  body: { code: 'invalid-body', detail: 'Say less.', traceId: 't', errors: [] },
};

function make(reply: (number: number) => Reply) {
  const host = new FakeHost((_, number) => reply(number));
  const store = new MemoryStore();
  const sent: string[] = [];
  const queue = new Queue(new Client(host), store, host, { sent: (item) => sent.push(item.id) });
  return { host, store, queue, sent };
}

test('writeIsSentUntilAnsweredWithOneKey', async () => {
  const { host, store, queue, sent } = make((number) => (number < 4 ? 'lost' : { status: 201, body: {} }));
  const item = await queue.add(
    recordTransaction,
    expense,
    { resource: 'new', stale: [listTransactions] },
  );
  await queue.drain();
  assert.deepEqual(host.seen.map((seen) => seen.key), [item.id, item.id, item.id, item.id]);
  assert.deepEqual(host.waits, [1000, 2000, 4000]);
  assert.deepEqual(sent, [item.id]);
  assert.equal((await store.waiting()).length, 0);
});

test('refusedWriteStaysAndHoldsBackItsResource', async () => {
  const { host, store, queue } = make((number) => (number === 1 ? refused : { status: 200, body: {} }));
  await queue.add(changeTransaction, { path: { id: 'a' }, body: { name: 'x' } }, { resource: 'a' });
  await queue.add(changeTransaction, { path: { id: 'a' }, body: { name: 'y' } }, { resource: 'a' });
  await queue.add(changeTransaction, { path: { id: 'b' }, body: { name: 'z' } }, { resource: 'b' });
  await queue.drain();
  assert.deepEqual(
    host.seen.map((seen) => seen.address),
    ['/v1/transactions/a', '/v1/transactions/b'],
  );
  const [first, second] = await store.waiting();
  assert.equal(first?.refusal?.detail, 'Say less.');
  assert.equal(second?.refusal, undefined);
});

test('editedWriteHasANewKey', async () => {
  const { host, queue, store } = make((number) => (number === 1 ? refused : { status: 201, body: {} }));
  const item = await queue.add(recordTransaction, expense, { resource: 'new' });
  await queue.drain();
  const [waiting] = await store.waiting();
  assert.ok(waiting && Queue.isEditable(waiting));
  if (waiting) await queue.edit(waiting, expense);
  await queue.drain();
  assert.ok(host.seen[1]?.key !== item.id);
  assert.equal((await store.waiting()).length, 0);
});

test('writeThatMayHaveHappenedIsNotEdited', async () => {
  const { queue } = make(() => ({ status: 201, body: {} }));
  const item = await queue.add(recordTransaction, expense, { resource: 'new' });
  await queue.drain();
  await assert.rejects(
    queue.edit({ ...item, tries: 1 }, expense),
    (error) => String(error).includes('may have been sent'),
  );
});

test('lostDeletionThatFindsNothingIsDone', async () => {
  const gone: Reply = { status: 404, body: { code: 'not-found', detail: '', traceId: 't' } };
  const { store, queue, sent } = make((number) => (number === 1 ? 'lost' : gone));
  await queue.add(deleteTransaction, { path: { id: 'a' } }, { resource: 'a' });
  await queue.drain();
  assert.equal(sent.length, 1);
  assert.equal((await store.waiting()).length, 0);
});

test('endedSessionKeepsWhatWaits', async () => {
  const { store, queue } = make(() => ({
    status: 401,
    body: { code: 'unauthenticated', detail: '', traceId: 't' },
  }));
  await queue.add(recordTransaction, expense, { resource: 'new' });
  await queue.drain();
  assert.equal((await store.waiting()).length, 1);
});

test('outcomeOfAWriteIsSaid', async () => {
  const { queue } = make((number) => (number === 1 ? { status: 201, body: {} } : refused));
  const first = await queue.add(recordTransaction, expense, { resource: 'a' });
  await queue.drain();
  assert.equal((await queue.outcome(first, 50)).kind, 'sent');
  const second = await queue.add(recordTransaction, expense, { resource: 'b' });
  await queue.drain();
  assert.equal((await queue.outcome(second, 50)).kind, 'refused');
});

test('heldQueueSendsNothing', async () => {
  const { host, queue } = make(() => ({ status: 201, body: {} }));
  queue.hold();
  await queue.add(recordTransaction, expense, { resource: 'a' });
  await queue.drain();
  assert.equal(host.seen.length, 0);
  queue.resume();
  await queue.drain();
  assert.equal(host.seen.length, 1);
});
