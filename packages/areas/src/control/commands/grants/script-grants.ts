// The only place that signs grants. Agents run a script only with a grant for exactly this script and for their device, so what
// is changed in the database, in Redis or by the worker does not run.

import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { orderKeyId } from '@muster/kit/secrets/order-keys.ts'
import { newestOf, privateKeyOf } from '@muster/kit/secrets/signing-keys.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { type GrantClaims, type GrantSigner, signGrant, workOf } from '@muster/wire/grants.ts'
import { type Services, service } from '../../../services.ts'
import { payloadFor } from '../orders/device-payload.ts'
import type { CommandOrder } from '../orders/validate-order.ts'

/** A grant names few devices, because each of their commands carries it. */
const devicesPerGrant = 16
/** How long other requests wait while grants are signed. */
const turnMs = 8

const signerOf = service(({ grantKeyring }): GrantSigner => {
  const newest = newestOf(grantKeyring.grants)
  const serial = grantKeyring.grantStatements.at(-1)?.serial ?? 1
  return { kid: orderKeyId(newest.x), serial, key: privateKeyOf(newest) }
})

type GrantServices = Pick<Services, 'core' | 'clock'>

type Origin = GrantClaims['origin']
type Scope = GrantClaims['scope']
type SharedClaims = Omit<GrantClaims, 'jti' | 'scope'>
export type UnsignedGrant = Omit<GrantClaims, 'jti'>

/** The claims of all grants of an order; null if it runs no script. */
function claimsOf({ clock }: GrantServices, order: CommandOrder, origin: Origin): SharedClaims | null {
  if (order.type !== 'run_script') return null
  const { payload, timeoutMs, expiresAt, createdBy } = order
  return {
    iat: Math.floor(clock.now() / 1_000),
    exp: Math.ceil(Date.parse(expiresAt) / 1_000),
    by: createdBy,
    ...workOf(RunScript.parse(payload), timeoutMs),
    origin,
  }
}

/** The grant of the script of one command; null if the order runs none. */
export function grantScript(
  services: GrantServices,
  order: CommandOrder,
  { commandId, deviceId }: { readonly commandId: string; readonly deviceId: string },
): string | null {
  const claims = claimsOf(services, order, order.origin ?? { kind: 'command', id: commandId })
  return claims === null ? null : signed(services, { ...claims, scope: namedDevices([deviceId]) })
}

/** The grant of each device. */
export async function grantScripts(
  services: GrantServices,
  order: CommandOrder,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const origin = order.origin ?? { kind: 'batch', id: order.batchId ?? '' }
  // Devices with variables of their own get another script than the others.
  const alike = Map.groupBy(deviceIds, (id) => JSON.stringify(order.deviceEnv?.get(id) ?? {})).values()
  const named: string[][] = []
  function* asked(): Generator<UnsignedGrant> {
    for (const ids of alike) {
      const claims = claimsOf(services, { ...order, payload: payloadFor(order, ids[0] ?? '') }, origin)
      if (claims === null) return
      for (const group of inGroups(ids)) {
        named.push(group)
        yield { ...claims, scope: namedDevices(group) }
      }
    }
  }
  const grants = await signGrants(services, asked())
  return new Map(grants.flatMap((grant, index) => (named[index] ?? []).map((id) => [id, grant] as const)))
}

/** The devices that share a grant. */
export function inGroups(deviceIds: readonly string[]): string[][] {
  const count = Math.ceil(deviceIds.length / devicesPerGrant)
  return Array.from({ length: count }, (_, at) => deviceIds.slice(at * devicesPerGrant, (at + 1) * devicesPerGrant))
}

// Devices have identifiers in lower case; a path may name them otherwise.
export const namedDevices = (deviceIds: readonly string[]): Scope => ({
  ...{ partnerId: null, orgIds: [] },
  deviceIds: deviceIds.map((id) => id.toLowerCase()),
})

/** Signs grants, in the same sequence. Other requests get their turn in between, also while the claims are made. */
export async function signGrants(services: GrantServices, given: Iterable<UnsignedGrant>): Promise<string[]> {
  const grants: string[] = []
  let since = performance.now()
  for (const claims of given) {
    grants.push(signed(services, claims))
    if (performance.now() - since < turnMs) continue
    await nextTurn()
    since = performance.now()
  }
  return grants
}

const signed = (services: GrantServices, claims: UnsignedGrant): string =>
  signGrant({ jti: randomUUID(), ...claims }, signerOf(services))
