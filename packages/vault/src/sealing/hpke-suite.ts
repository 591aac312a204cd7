import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';

/** RFC 9180 with X25519, HKDF-SHA256 and AES-256-GCM; one wrap or unwrap takes about 1.6 ms, so data keys only. */
export const hpkeSuite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

/** Ties a wrapped key to its use: nothing else encrypted to the same public key passes for a data key. */
export const DATA_KEY_INFO = new TextEncoder().encode('tidegate data key 1');

/** A wrapped data key: version, encapsulated key, encrypted data key with its tag. Its id is the additional data. */
export const WRAPPED_VERSION = 1;
export const ENCAPSULATED_BYTES = 32;
export const WRAPPED_BYTES = 1 + ENCAPSULATED_BYTES + 32 + 16;
