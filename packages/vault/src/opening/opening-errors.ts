import { AppError } from '@tidegate/core';

const RECIPIENT_KEY_ID = /^rk_[a-z2-7]{16}$/;

export function sealedValueCorrupt(): AppError {
  return new AppError({
    code: 'sealed_value_corrupt',
    publicMessage: 'A sealed value cannot be opened: it is damaged or was moved from another place.',
  });
}

export function dataKeyCorrupt(): AppError {
  return new AppError({
    code: 'data_key_corrupt',
    publicMessage: 'A stored data key cannot be unwrapped: it is damaged or was moved from another row.',
  });
}

export function dataKeyMissing(): AppError {
  return new AppError({
    code: 'data_key_missing',
    publicMessage: 'A sealed value cannot be opened: its data key is not in the store.',
  });
}

/** The id comes from a row, so it is told only when it has the form of one. */
export function sealingKeyMissing(recipientKeyId: string): AppError {
  return new AppError({
    code: 'sealing_key_missing',
    publicMessage: 'A sealed value cannot be opened: the keyring lacks the private sealing key it was sealed to.',
    ...(RECIPIENT_KEY_ID.test(recipientKeyId) ? { detail: `recipient key ${recipientKeyId}` } : {}),
  });
}
