/** The profile menu, and signing out. */
import { useState } from 'react';
import { endSession } from '../generated/api';
import { client, forget } from '../api/session';
import { useWaiting } from '../api/react';
import { SessionEnded } from '../api/refusal';
import * as words from '../generated/words';
import { Button } from '../ui/button';
import { Confirm, Dialog } from '../ui/dialog';
import { Face } from '../ui/icon';
import { Note } from '../ui/states';

/** Ends the session, and deletes what this device keeps. */
export async function signOut(): Promise<void> {
  try {
    await client.call(endSession, { path: { session: 'current' } });
  } catch (error) {
    // A session that has ended already is what was wanted.
    if (!(error instanceof SessionEnded)) throw error;
  }
  await forget();
  location.replace('/sign-in');
}

export function ProfileMenu({ userName, onClose }: { userName: string; onClose: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [isFailed, setFailed] = useState(false);
  const waiting = useWaiting().length;
  if (isAsking) {
    return (
      <Confirm
        title={words.signOutTitle()}
        action={words.signOut()}
        isBusy={isBusy}
        onClose={onClose}
        onConfirm={() => {
          setBusy(true);
          signOut().catch(() => {
            setBusy(false);
            setFailed(true);
          });
        }}
      >
        <p>{words.signOutWhy()}</p>
        {waiting > 0 ? <Note tone="warm">{words.signOutWaiting({ count: waiting })}</Note> : null}
        {isFailed ? <Note tone="bad">{words.unreachable()}</Note> : null}
      </Confirm>
    );
  }
  return (
    <Dialog title={userName} onClose={onClose} head={<Face name={userName} size="s" />}>
      <Button look="line" size="wide" icon="out" onClick={() => setAsking(true)}>
        {words.signOut()}
      </Button>
    </Dialog>
  );
}
