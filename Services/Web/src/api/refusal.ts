/** The errors of a call: a refusal of the API (RFC 9457), a lost connection, an ended session. */
import type { FieldError, Problem, RefusalCode } from '../generated/api';

export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: number,
    readonly code: RefusalCode | 'unknown',
    readonly detail: string,
    readonly traceId: string,
    readonly errors: readonly FieldError[] = [],
    /** Seconds until it may be tried again; 0 where the answer says nothing. */
    readonly retryAfter = 0,
  ) {
    super(`${status} ${code}`);
  }

  static async from(response: Response): Promise<Refusal> {
    const problem = await readProblem(response);
    const seconds = Number(response.headers.get('Retry-After') ?? 0);
    return new Refusal(
      response.status,
      (problem.code as RefusalCode | undefined) ?? 'unknown',
      problem.detail ?? '',
      problem.traceId ?? response.headers.get('X-Request-Id') ?? '',
      problem.errors ?? [],
      Number.isFinite(seconds) ? Math.max(0, seconds) : 0,
    );
  }
}

async function readProblem(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Partial<Problem>;
  } catch {
    return {};
  }
}

/** No answer came: no network, or not in time. The call may have happened. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(readonly isTimeout: boolean) {
    super(isTimeout ? 'no answer in time' : 'no connection');
  }
}

/** The session has ended: only signing in again helps. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

export const isRefusal = (error: unknown, code?: RefusalCode): error is Refusal =>
  error instanceof Refusal && (code === undefined || error.code === code);

/** Answers after which the same call may be tried again, with the same key. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof Refusal && [429, 502, 503, 504].includes(error.status));
