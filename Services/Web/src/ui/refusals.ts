/** Texts of refusals: our words by code, else the server's own sentence. */
import * as words from '../generated/words';
import type { FormRefusal } from './form';

/** The parts of a refusal that texts are made of; `src/api` has the whole. */
export interface RefusalLike {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly traceId: string;
  readonly retryAfter: number;
  readonly errors: readonly {
    readonly pointer: string;
    readonly code: string;
    readonly detail: string;
  }[];
}

const texts: Readonly<Record<string, () => string>> = {
  'wrong-credentials': words.refusalWrongCredentials,
  'email-taken': words.refusalEmailTaken,
  'username-taken': words.refusalUsernameTaken,
  'insufficient-funds': words.refusalInsufficientFunds,
  'unknown-iban': words.refusalUnknownIban,
  'category-name-taken': words.refusalCategoryNameTaken,
  'default-category': words.refusalDefaultCategory,
  'already-in-family': words.refusalAlreadyInFamily,
  'parents-only': words.refusalParentsOnly,
  'child-cannot-leave': words.refusalChildCannotLeave,
  'member-is-parent': words.refusalMemberIsParent,
  'last-account': words.refusalLastAccount,
  'part-of-transfer': words.refusalPartOfTransfer,
  'account-closed': words.refusalAccountClosed,
  'precondition-failed': words.refusalChangedElsewhere,
  'wrong-code': words.refusalWrongCode,
  'challenge-exhausted': words.refusalChallengeExhausted,
  'challenge-expired': words.refusalChallengeExpired,
  'user-disabled': words.refusalUserDisabled,
};

export const isRefusalLike = (error: unknown): error is RefusalLike =>
  typeof error === 'object' && error !== null && 'traceId' in error && 'code' in error;

export function textOf(error: unknown): string {
  if (!isRefusalLike(error)) return words.unreachable();
  if (error.retryAfter > 0 && [429, 503].includes(error.status)) {
    return words.tooManyTries({ count: Math.ceil(error.retryAfter) });
  }
  if (error.status === 403 || error.status === 404) return error.detail || words.gone();
  return texts[error.code]?.() ?? (error.detail || words.unreachable());
}

/**
 * Places a refusal in a form: beside each field that a pointer names, the rest on top.
 * @param fields which pointer belongs to which field, for pointers below or beside a field's own.
 */
export function placed(error: unknown, fields: Readonly<Record<string, string>> = {}): FormRefusal {
  if (!isRefusalLike(error) || error.errors.length === 0) {
    const own = isRefusalLike(error) ? fields[error.code] : undefined;
    if (own) return { fields: { [own]: textOf(error) } };
    const retryAfter = isRefusalLike(error) && error.retryAfter > 0 ? error.retryAfter : undefined;
    return { fields: {}, whole: textOf(error), retryAfter };
  }
  const placed: Record<string, string> = {};
  for (const { pointer, detail } of error.errors) placed[fields[pointer] ?? pointer] = sentence(detail);
  return { fields: placed };
}

/** The API continues the field's name: «must be …». */
const sentence = (detail: string): string => {
  const text = detail.charAt(0).toLocaleUpperCase() + detail.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
};
