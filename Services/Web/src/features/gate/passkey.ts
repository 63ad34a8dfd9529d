/** Asks the device for a passkey; what it answers goes to the server as JSON. */
import {
  passkeyChallenge,
  type PasskeyAssertion,
  type PasskeyChallenge,
} from '../../generated/api';
import { client } from '../../api/session';

const toBytes = (text: string): ArrayBuffer => {
  const plain = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0)).buffer;
};

const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

export const canUsePasskeys = (): boolean => 'PublicKeyCredential' in window;

/** Reads the challenge that a passkey signs, and the last user of this device. */
export const readChallenge = (): Promise<PasskeyChallenge> => client.call(
  passkeyChallenge,
  { body: {} },
);

/** @throws NotAllowedError when the user has cancelled, or the finger was not known. */
export async function usePasskey(challenge: PasskeyChallenge): Promise<PasskeyAssertion> {
  const { challengeId, publicKey } = challenge;
  const found = await navigator.credentials.get({
    publicKey: {
      challenge: toBytes(publicKey.challenge),
      rpId: publicKey.rpId,
      timeout: publicKey.timeout,
      userVerification: 'required',
      allowCredentials: publicKey.allowCredentials.map((one) => ({
        type: 'public-key',
        id: toBytes(one.id),
      })),
    },
  });
  if (!(found instanceof PublicKeyCredential)) throw new DOMException(
    'no passkey',
    'NotAllowedError',
  );
  const response = found.response as AuthenticatorAssertionResponse;
  return {
    challengeId,
    credential: {
      id: found.id,
      rawId: toText(found.rawId),
      type: 'public-key',
      response: {
        clientDataJSON: toText(response.clientDataJSON),
        authenticatorData: toText(response.authenticatorData),
        signature: toText(response.signature),
        userHandle: response.userHandle ? toText(response.userHandle) : undefined,
      },
    },
  };
}
