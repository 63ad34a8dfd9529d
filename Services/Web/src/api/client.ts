/**
 * Calls the API by operation.
 *
 * Sessions are cookies that no script can read. A 401 refreshes the session once for all calls and
 * tabs, then the call is made again. A key is made once for each call and stays the same whenever
 * the call is repeated: after a refresh, after a step-up, after a lost answer.
 */
import { refreshSession } from '../generated/api';
import { browserHost, type Host } from './host';
import { addressOf, type AnyInput, type Input, type Operation, type Shape } from './operation';
import { isPassing, isRefusal, Refusal, SessionEnded, Unreachable } from './refusal';

export interface CallOptions {
  /** The idempotency key, when the caller has one already. */
  readonly key?: string;
  /** The version that the caller has read: the call fails with 412 when it is another one. */
  readonly tag?: string;
  readonly signal?: AbortSignal;
  /** How often a passing failure is tried again; reads and keyed writes only. */
  readonly tries?: number;
  readonly timeoutMs?: number;
  /** Asks the user for a proof; true when there is one. Without it the refusal is thrown. */
  readonly stepUp?: () => Promise<boolean>;
}

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  /** The version to send as `tag`. */
  readonly tag: string | undefined;
  readonly location: string | undefined;
}

const TIMEOUT_MS = 15_000;
const BACKOFF_MS = 400;
const LONGEST_WAIT_S = 10;

export class Client {
  private refreshing: Promise<void> | undefined;
  /** When the session was last renewed by this tab. */
  private refreshedAt = 0;
  /** Told when the session has ended, so that a dialog asks to sign in. */
  onSessionEnded: () => void = () => undefined;
  /** Told of each call whether an answer came; browsers themselves often do not know. */
  onReach: (isReachable: boolean) => void = () => undefined;
  /** Asks for a proof when no caller does. */
  stepUp: (() => Promise<boolean>) | undefined;

  constructor(private readonly host: Host = browserHost) {}

  /** Makes a call and gives its body. */
  async call<Of extends Shape>(
    operation: Operation<Of>,
    input: Input<Of>,
    options: CallOptions = {},
  ): Promise<Of['answer']> {
    return (await this.answer(operation, input, options)).body;
  }

  /** Makes a call and gives status, body and tag. */
  async answer<Of extends Shape>(
    operation: Operation<Of>,
    input: Input<Of>,
    options: CallOptions = {},
  ): Promise<Answer<Of['answer']>> {
    return (await this.send(operation, input as AnyInput, options)) as Answer<Of['answer']>;
  }

  /** Reads an answer as a file: a statement, an export, a report as PDF or CSV. */
  async file<Of extends Shape>(operation: Operation<Of>, input: Input<Of>): Promise<Blob> {
    const { body } = await this.send(operation, input as AnyInput);
    return body instanceof Blob ? body : new Blob(
      [JSON.stringify(body)],
      { type: 'application/json' },
    );
  }

  /** The same without the types: for the queue, which reads its calls from the device. */
  async send(
    operation: Operation<Shape>,
    input: AnyInput,
    options: CallOptions = {},
  ): Promise<Answer<unknown>> {
    const key = operation.takesKey ? options.key ?? this.host.uuid() : undefined;
    const request = this.requestOf(operation, input, key, options.tag);
    const isRepeatable = operation.method === 'GET' || key !== undefined;
    const tries = isRepeatable ? options.tries ?? 3 : 1;
    for (let turn = 1; ; turn++) {
      try {
        return await this.once(operation, addressOf(operation, input), request, options);
      } catch (error) {
        if (isRefusal(error, 'step-up-required') && turn === 1) {
          const stepUp = options.stepUp ?? this.stepUp;
          if (stepUp && (await stepUp())) continue;
          throw error;
        }
        if (!isPassing(error) || turn >= tries || options.signal?.aborted) throw error;
        const asked = error instanceof Refusal ? error.retryAfter : 0;
        // Longer waits are for the user to see, with their countdown.
        if (asked > LONGEST_WAIT_S) throw error;
        const jitter = 0.5 + this.host.random();
        await this.host.wait(Math.max(asked * 1000, BACKOFF_MS * 2 ** (turn - 1) * jitter));
      }
    }
  }

  private requestOf(
    operation: Operation<Shape>,
    input: AnyInput,
    key?: string,
    tag?: string,
  ): RequestInit {
    const headers: Record<string, string> = { Accept: 'application/json, */*;q=0.5' };
    if (key) headers['Idempotency-Key'] = key;
    if (tag && operation.takesTag) headers['If-Match'] = tag;
    const request: RequestInit = {
      method: operation.method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    };
    if (input.body instanceof Blob) {
      headers['Content-Type'] = input.body.type || 'application/octet-stream';
      request.body = input.body;
    } else if (input.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      request.body = JSON.stringify(input.body);
    }
    return request;
  }

  private async once(
    operation: Operation<Shape>,
    address: string,
    request: RequestInit,
    options: CallOptions,
  ): Promise<Answer<unknown>> {
    const begun = this.host.now();
    const response = await this.fetchInTime(address, request, options);
    if (response.status === 401 && !isSignIn(operation)) {
      await this.refresh(begun);
      return this.read(await this.fetchInTime(address, request, options));
    }
    return this.read(response);
  }

  private async fetchInTime(
    address: string,
    request: RequestInit,
    options: CallOptions,
  ): Promise<Response> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    options.signal?.addEventListener('abort', abort);
    let isTimeout = false;
    const timer = setTimeout(() => {
      isTimeout = true;
      abort();
    }, options.timeoutMs ?? TIMEOUT_MS);
    try {
      const response = await this.host.fetch(address, { ...request, signal: controller.signal });
      this.onReach(true);
      return response;
    } catch (error) {
      if (options.signal?.aborted) throw error;
      this.onReach(false);
      throw new Unreachable(isTimeout);
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
    }
  }

  private async read(response: Response): Promise<Answer<unknown>> {
    if (!response.ok) {
      const refusal = await Refusal.from(response);
      if (refusal.code === 'unauthenticated') throw this.ended();
      throw refusal;
    }
    return {
      status: response.status,
      body: await bodyOf(response),
      tag: response.headers.get('ETag') ?? undefined,
      location: response.headers.get('Location') ?? undefined,
    };
  }

  /** Renews the session once, however many calls and tabs find that it has to be. */
  private async refresh(begun: number): Promise<void> {
    if (this.refreshedAt > begun) return;
    this.refreshing ??= this.renew(begun).finally(() => (this.refreshing = undefined));
    await this.refreshing;
  }

  private async renew(begun: number): Promise<void> {
    await this.host.exclusively('ezwallet-refresh', async () => {
      const last = Number(shared()?.getItem(RENEWED) ?? 0);
      // Another tab has renewed it while this one waited.
      if (last > begun) return;
      const request = this.requestOf(refreshSession, { body: {} });
      const response = await this.fetchInTime(refreshSession.path, request, {});
      if (response.status === 401) throw this.ended();
      if (!response.ok) throw await Refusal.from(response);
      shared()?.setItem(RENEWED, String(this.host.now()));
    });
    this.refreshedAt = this.host.now();
  }

  private ended(): SessionEnded {
    this.onSessionEnded();
    return new SessionEnded('the session has ended');
  }
}

const RENEWED = 'ezwallet-renewed';
const shared = (): Storage | undefined => (typeof localStorage === 'undefined' ? undefined : localStorage);

/** Calls whose 401 means wrong credentials, and not an old session. */
const isSignIn = (operation: Operation<Shape>): boolean =>
  [
    'logIn',
    'refreshSession',
    'passkeyChallenge',
    'registerUser',
    'answerChallenge',
  ].includes(operation.name);

async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get('Content-Type') ?? '';
  if (/^application\/(geo\+)?json/.test(type)) return response.json();
  const blob = await response.blob();
  return blob.size === 0 ? undefined : blob;
}
