import type { Membership } from '@muster/wire/messages/inventory.ts'
import { u32Buffer } from '../native/accounts.ts'
import { EntraJoin, entraApi } from '../native/entra-api.ts'
import { mustSucceed } from '../native/errors.ts'
import { memoryAt, wideTextAt } from '../native/koffi.ts'
import { freeNet, joinInformation } from '../native/sessions-api.ts'

/** NETSETUP_JOIN_STATUS */
const joined = { workgroup: 2, domain: 3 } as const
/** DSREG_JOIN_TYPE */
const entraKinds: Readonly<Record<number, 'joined' | 'registered'>> = { 1: 'joined', 2: 'registered' }

/** The workgroup or domain of this machine, and its tenant of Entra ID. @throws Win32Error when Windows does not tell */
export function membership(): Membership {
  const [name, status] = [Buffer.alloc(8), u32Buffer()]
  mustSucceed('NetGetJoinInformation', joinInformation(null, name, status))
  const address = name.readBigUInt64LE()
  try {
    const text = wideTextAt(address).slice(0, 255)
    const kind = status.readUInt32LE()
    return {
      ...(kind === joined.workgroup && text !== '' && { workgroup: text }),
      ...(kind === joined.domain && { domain: text }),
      entra: entraJoin(),
    }
  } finally {
    if (address !== 0n) freeNet(address)
  }
}

function entraJoin(): Membership['entra'] {
  const api = knownApi()
  const place = Buffer.alloc(8)
  if (api === undefined || api.joinInformation(null, place) !== 0) return undefined
  const address = place.readBigUInt64LE()
  // Windows answers without a structure on a machine that belongs to no tenant.
  if (address === 0n) return undefined
  try {
    const { type, deviceId, tenantId, tenantName } = EntraJoin.read(memoryAt(address, EntraJoin.size))
    const kind = entraKinds[type]
    const text = (at: bigint, chars: number) => wideTextAt(at).slice(0, chars) || undefined
    return kind === undefined
      ? undefined
      : { kind, tenantId: text(tenantId, 64), tenantName: text(tenantName, 255), deviceId: text(deviceId, 64) }
  } finally {
    api.free(address)
  }
}

function knownApi() {
  try {
    return entraApi()
  } catch {
    return undefined
  }
}
