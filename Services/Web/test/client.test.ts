import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '../src/api/client';
import { addressOf } from '../src/api/operation';
import { isRefusal, SessionEnded, Unreachable } from '../src/api/refusal';
import {
  changeTransaction,
  getMe,
  listTransactions,
  recordTransaction,
} from '../src/generated/api';
import { FakeHost, type Reply, type Seen } from './fake';

type Problem = Exclude<Reply, 'lost'>;

const problem = (status: number, code: string, more: object = {}): Problem => ({
  status,
  body: {
    type: 'about:blank',
    title: code,
    status,
    detail: 'Do something.',
    code,
    traceId: 't1',
    ...more
  },
});
const expense = { body: { amount: { amount: '-12.50', currency: 'EUR' } } };

test('queryIsSortedAndRepeated', () => {
  const address = addressOf(
    listTransactions,
    { query: { to: '2026-11-30', tag: ['a b', 'c'], from: undefined } },
  );
  assert.equal(address, '/v1/transactions?tag=a+b&tag=c&to=2026-11-30');
  assert.throws(() => addressOf(changeTransaction, { path: { id: '' } }), /needs id/);
});

test('lostWriteIsRepeatedWithItsKey', async () => {
  const host = new FakeHost((_, number) => (number === 1 ? 'lost' : number === 2 ? problem(503, 'unavailable') : { status: 201, body: { id: 'x' } }));
  const made = await new Client(host).call(recordTransaction, expense);
  assert.equal(made.id, 'x');
  assert.deepEqual(host.seen.map((seen) => seen.key), ['key-1', 'key-1', 'key-1']);
});

test('writeWithoutKeyIsNotRepeated', async () => {
  const host = new FakeHost(() => 'lost');
  const call = new Client(host).call(
    changeTransaction,
    { path: { id: 'x' }, body: {} },
    { tag: '"3"' },
  );
  await assert.rejects(call, (error) => error instanceof Unreachable && !error.isTimeout);
  assert.equal(host.seen.length, 1);
  assert.equal(host.seen[0]?.tag, '"3"');
});

test('refusalCarriesCodeAndPointers', async () => {
  const errors = [{
    pointer: '/amount/currency',
    code: 'invalid-value',
    detail: 'must be a currency',
  }];
  const host = new FakeHost(() => problem(422, 'invalid-body', { errors }));
  await assert.rejects(new Client(host).call(recordTransaction, expense), (error) =>
    isRefusal(error, 'invalid-body') && error.errors[0]?.pointer === '/amount/currency' && error.traceId === 't1');
});

test('oneRefreshServesAllCalls', async () => {
  let isRenewed = false;
  const host = new FakeHost(async (seen: Seen): Promise<Reply> => {
    await Promise.resolve();
    if (seen.address === '/v1/sessions/refresh') {
      isRenewed = true;
      return { status: 201, body: {} };
    }
    return isRenewed ? { status: 200, body: { id: 'me' } } : problem(401, 'unauthenticated');
  });
  const client = new Client(host);
  await Promise.all([1, 2, 3, 4].map(() => client.call(getMe, {})));
  const refreshes = host.seen.filter((seen) => seen.address === '/v1/sessions/refresh');
  assert.equal(refreshes.length, 1);
  assert.deepEqual(refreshes[0]?.body, {});
});

test('endedSessionIsSaidOnce', async () => {
  const host = new FakeHost((seen) => problem(
    401,
    seen.address.includes('refresh') ? 'invalid-refresh-token' : 'unauthenticated',
  ));
  const client = new Client(host);
  let said = 0;
  client.onSessionEnded = () => (said += 1);
  await assert.rejects(client.call(getMe, {}), (error) => error instanceof SessionEnded);
  assert.equal(said, 1);
});

test('stepUpRepeatsTheSameCallUnderTheSameKey', async () => {
  const host = new FakeHost((_, number) => (number === 1 ? problem(403, 'step-up-required') : {
    status: 201,
    body: { id: 'x' },
  }));
  const client = new Client(host);
  client.stepUp = async () => true;
  await client.call(recordTransaction, expense);
  assert.deepEqual(
    host.seen.map((seen) => [seen.key, seen.body]),
    [['key-1', expense.body], ['key-1', expense.body]],
  );
});

test('refusedStepUpThrowsTheRefusal', async () => {
  const client = new Client(new FakeHost(() => problem(403, 'step-up-required')));
  client.stepUp = async () => false;
  await assert.rejects(
    client.call(recordTransaction, expense),
    (error) => isRefusal(error, 'step-up-required'),
  );
});

test('longRetryAfterIsLeftToTheUser', async () => {
  const host = new FakeHost(() => ({
    ...problem(429, 'too-many-requests'),
    headers: { 'Retry-After': '40' },
  }));
  await assert.rejects(
    new Client(host).call(getMe, {}),
    (error) => isRefusal(error) && error.retryAfter === 40,
  );
  assert.equal(host.seen.length, 1);
});

test('shortRetryAfterIsWaitedFor', async () => {
  const host = new FakeHost((_, number) => number === 1
    ? ({ ...problem(429, 'too-many-requests'), headers: { 'Retry-After': '2' } })
    : { status: 200, body: { id: 'me' } });
  await new Client(host).call(getMe, {});
  assert.deepEqual(host.waits, [2000]);
});
