import { createPublicKey, randomBytes } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { signDeviceCertificate } from '@muster/areas/fleet/enrollment/certificates.ts'
import { type Keyring, readKeyring } from '@muster/kit/secrets/keyring.ts'
import { type FleetIndex, fleetPaths, idOf, keyOfSeed, readFleetIndex, seedBytes, tenantOf } from './fleet-files.ts'

const usableMs = 30 * 86_400_000
const perStep = 2_000

/** Creates keys and certificates up to the given number; those of an earlier run with the same keyring are kept. */
export async function ensureFleet(folder: string, keysFile: string, agents: number, say: (line: string) => void) {
  mkdirSync(folder, { recursive: true })
  const keyring = readKeyring(keysFile)
  const keyId = keyring.deviceCertificates[0]?.kid ?? ''
  const known = readFleetIndex(folder)
  let index: FleetIndex = { keyId, madeAt: Date.now(), agents: 0, certificateChars: 0 }
  if (known?.keyId === keyId && Date.now() - known.madeAt < usableMs) index = known
  else for (const path of Object.values(fleetPaths(folder))) rmSync(path, { force: true })
  if (index.agents >= agents) return
  say(`creating keys and certificates for ${agents - index.agents} agents`)
  while (index.agents < agents) {
    index = await extend(folder, keyring, index, Math.min(perStep, agents - index.agents))
  }
}

async function extend(folder: string, keyring: Keyring, index: FleetIndex, count: number): Promise<FleetIndex> {
  const seeds = randomBytes(count * seedBytes)
  const certificates = await Promise.all(
    Array.from({ length: count }, (_, position) => {
      const key = keyOfSeed(seeds.subarray(position * seedBytes, (position + 1) * seedBytes))
      const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
      const agent = index.agents + position
      const { org, partner } = tenantOf(agent)
      const device = { deviceId: idOf('device', agent), orgId: idOf('org', org), partnerId: idOf('partner', partner) }
      return signDeviceCertificate(keyring, { ...device, generation: 1, publicKey: x }, index.madeAt)
    }),
  )
  const certificateChars = certificates[0]?.length ?? 0
  const expected = index.certificateChars || certificateChars
  if (certificates.some(({ length }) => length !== expected)) throw new Error('certificates differ in length')
  const paths = fleetPaths(folder)
  writeAt(paths.seeds, seeds, index.agents * seedBytes)
  writeAt(paths.certificates, Buffer.from(certificates.join(''), 'latin1'), index.agents * certificateChars)
  const next = { ...index, agents: index.agents + count, certificateChars }
  // Last, so that an interrupted step does not count and is overwritten.
  writeFileSync(paths.index, JSON.stringify(next))
  return next
}

function writeAt(path: string, bytes: Buffer, position: number): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    writeSync(file, bytes, 0, bytes.length, position)
  } finally {
    closeSync(file)
  }
}
