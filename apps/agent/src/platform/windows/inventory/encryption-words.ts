import type { DiskEncryption } from '@muster/wire/messages/inventory.ts'

const words: Readonly<Record<number, DiskEncryption>> = {
  0: 'off',
  1: 'on',
  2: 'off',
  3: 'encrypting',
  4: 'decrypting',
  5: 'suspended',
  6: 'locked',
  // Encrypted while Windows was installed, with a key that is not protected yet.
  8: 'suspended',
}

/** The shell's number for the BitLocker protection of a volume as a word. */
export const encryptionOf = (protection: number | undefined): DiskEncryption | undefined =>
  protection === undefined ? undefined : words[protection]
