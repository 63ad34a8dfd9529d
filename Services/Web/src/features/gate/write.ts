/** The gate's calls: signing in and up. */
import {
  answerChallenge,
  logIn,
  makeChallenge,
  provePasskey,
  registerUser,
  type ChallengeView,
  type NewUser,
  type PasskeyAssertion,
} from '../../generated/api';
import { client } from '../../api/session';

/** A session, or a code that has to be answered first. */
export type SignedIn = { readonly kind: 'session' } | {
  readonly kind: 'code';
  readonly challenge: ChallengeView;
};

export async function signIn(identifier: string, password: string): Promise<SignedIn> {
  const answer = await client.call(logIn, { body: { identifier, password } });
  return 'challenge' in answer ? {
    kind: 'code',
    challenge: answer.challenge,
  } : { kind: 'session' };
}

export async function signInWithPasskey(passkey: PasskeyAssertion): Promise<void> {
  await client.call(logIn, { body: { passkey } });
}

export async function answerCode(id: string, code: string): Promise<void> {
  await client.call(answerChallenge, { path: { id }, body: { code } });
}

export async function signUp(user: NewUser): Promise<void> {
  await client.call(registerUser, { body: user });
}

/** A code for the second step, by the way that the account has. */
export const askForCode = (): Promise<ChallengeView> => client.call(
  makeChallenge,
  { body: { purpose: 'step-up' } },
);

export async function proveByPasskey(passkey: PasskeyAssertion): Promise<void> {
  await client.call(provePasskey, { body: passkey });
}
