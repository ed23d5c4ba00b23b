// Checksums that a shell script can verify: the hashes of a version, and plain signatures of them.
import { type ObjectStore, readSmall, replaceWith } from '@muster/files/object-store.ts'
import type { ReleaseKey } from './keys.ts'
import type { SignedTarget } from './signed-target.ts'

/** The file contains one Ed25519 signature per key, one after the other. */
const signatureBytes = 64

/**
 * Signs the hashes of versions from the targets, never from the file in the store. Signatures of the same hashes by
 * other keys stay; those of other hashes are dropped.
 */
export async function signSums(
  store: ObjectStore,
  targets: readonly SignedTarget[],
  versions: readonly string[],
  keys: readonly ReleaseKey[],
): Promise<void> {
  for (const version of new Set(versions)) {
    const path = `targets/${version}/SHA256SUMS`
    const lines = targets.flatMap((target) =>
      target.version === version
        ? [
            `${target.sha256}  muster-agent-${target.os}-${target.arch}${target.format === undefined ? '' : `.${target.format}`}\n`,
          ]
        : [],
    )
    const sums = Buffer.from(lines.sort().join(''))
    const isSame = (await readSmall(store, path))?.equals(sums) === true
    const kept = isSame ? pieces((await readSmall(store, `${path}.sig`)) ?? Buffer.alloc(0)) : []
    const made = keys.map((key) => key.sign(sums)).filter((one) => !kept.some((other) => other.equals(one)))
    await replaceWith(store, path, sums)
    await replaceWith(store, `${path}.sig`, Buffer.concat([...kept, ...made]))
  }
}

const pieces = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.floor(bytes.length / signatureBytes) }, (_, index) =>
    bytes.subarray(index * signatureBytes, (index + 1) * signatureBytes),
  )
