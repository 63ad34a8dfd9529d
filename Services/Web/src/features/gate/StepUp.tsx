/** Asks for a proof of who is there, before a call that needs a recent one; then the call goes on. */
import { useEffect, useRef, useState } from 'react';
import type { ChallengeView, PasskeyChallenge } from '../../generated/api';
import * as words from '../../generated/words';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { textOf } from '../../ui/refusals';
import { Note } from '../../ui/states';
import { CodeForm } from './code-form';
import { canUsePasskeys, readChallenge, usePasskey } from './passkey';
import { askForCode, proveByPasskey } from './write';

export function StepUp({ onDone }: { onDone: (isProved: boolean) => void }) {
  const [challenge, setChallenge] = useState<ChallengeView>();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const ready = useRef<Promise<PasskeyChallenge>>();
  useEffect(() => {
    if (!canUsePasskeys()) return;
    ready.current = readChallenge();
    ready.current.catch(() => undefined);
  }, []);

  async function attempt(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failed) {
      setError(failed instanceof DOMException ? words.passkeyFailed() : textOf(failed));
    } finally {
      setBusy(false);
    }
  }

  const usePass = () =>
    attempt(async () => {
      await proveByPasskey(await usePasskey(await (ready.current ?? readChallenge())));
      onDone(true);
    });
  const useCode = () => attempt(async () => setChallenge(await askForCode()));

  return (
    <Dialog title={words.stepUpTitle()} onClose={() => onDone(false)}>
      <p className="sub">{words.stepUpWhy()}</p>
      {error ? <Note tone="bad">{error}</Note> : null}
      {challenge ? (
        <CodeForm
          challenge={challenge}
          action={words.stepUpConfirm()}
          onDone={() => onDone(true)}
          onBack={() => setChallenge(undefined)}
        />
      ) : (
        <div className="stack tight">
          {canUsePasskeys() ? (
            <Button size="wide" icon="finger" isBusy={isBusy} onClick={() => void usePass()}>
              {words.passkeyContinue()}
            </Button>
          ) : null}
          <Button
            size="wide"
            look="line"
            icon="phone"
            isBusy={isBusy}
            onClick={() => void useCode()}
          >
            {words.stepUpCode()}
          </Button>
        </div>
      )}
    </Dialog>
  );
}
