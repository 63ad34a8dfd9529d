/** Signing in by passkey or password, then by code where the account asks for one. */
import { useEffect, useRef, useState } from 'react';
import type { ChallengeView, PasskeyChallenge } from '../../generated/api';
import * as words from '../../generated/words';
import { Button } from '../../ui/button';
import { PasswordField, TextField } from '../../ui/field';
import { Form, needed } from '../../ui/form';
import { placed, textOf } from '../../ui/refusals';
import { Note } from '../../ui/states';
import { CodeForm } from './code-form';
import { canUsePasskeys, readChallenge, usePasskey } from './passkey';
import { signIn, signInWithPasskey } from './write';

const PASSKEY_TRIES = 4;

/** @param isKnown whether somebody signed in on this device lately: then the passkey stands first. */
export function SignInForm({ isKnown, onDone }: { isKnown: boolean; onDone: () => void }) {
  const [challenge, setChallenge] = useState<ChallengeView>();
  if (challenge) {
    return (
      <CodeForm challenge={challenge} onDone={onDone} onBack={() => setChallenge(undefined)} />
    );
  }
  return (
    <div className="stack">
      {canUsePasskeys() && isKnown ? <PasskeyButton isFirst onDone={onDone} /> : null}
      <Form
        rules={{ '/identifier': needed, '/password': needed }}
        labels={{ '/identifier': words.identifier(), '/password': words.password() }}
        onSend={async (values) => {
          try {
            const answer = await signIn(values['/identifier'] ?? '', values['/password'] ?? '');
            if (answer.kind === 'code') setChallenge(answer.challenge);
            else onDone();
            return undefined;
          } catch (error) {
            return placed(error);
          }
        }}
      >
        {({ errors, isSending }) => (
          <>
            <TextField
              label={words.identifier()}
              name="/identifier"
              autoComplete="username webauthn"
              autoCapitalize="none"
              spellCheck={false}
              error={errors['/identifier']}
            />
            <PasswordField
              label={words.password()}
              name="/password"
              autoComplete="current-password"
              error={errors['/password']}
            />
            <Button
              type="submit"
              size="wide"
              look={canUsePasskeys() && isKnown ? 'line' : 'main'}
              isBusy={isSending}
            >
              {words.signIn()}
            </Button>
          </>
        )}
      </Form>
      {canUsePasskeys() && !isKnown ? <PasskeyButton isFirst={false} onDone={onDone} /> : null}
    </div>
  );
}

/** The options are read before the press: some browsers allow a passkey only right after one. */
function PasskeyButton({ isFirst, onDone }: { isFirst: boolean; onDone: () => void }) {
  const ready = useRef<Promise<PasskeyChallenge>>();
  const [failures, setFailures] = useState(0);
  const [error, setError] = useState<string>();
  useEffect(() => {
    ready.current = readChallenge();
    ready.current.catch(() => undefined);
  }, [failures]);
  if (failures >= PASSKEY_TRIES) return null;

  async function press(): Promise<void> {
    try {
      const assertion = await usePasskey(await (ready.current ?? readChallenge()));
      await signInWithPasskey(assertion);
      onDone();
    } catch (failed) {
      setError(failed instanceof DOMException ? words.passkeyFailed() : textOf(failed));
      setFailures(failures + 1);
    }
  }

  return (
    <>
      {isFirst ? null : <p className="or">{words.orPasskey()}</p>}
      <Button
        size="wide"
        look={isFirst ? 'main' : 'line'}
        icon="finger"
        onClick={() => void press()}
      >
        {words.passkeyContinue()}
      </Button>
      {error ? <Note tone="warm">{error}</Note> : null}
      {isFirst ? <p className="or">{words.orPassword()}</p> : null}
    </>
  );
}
