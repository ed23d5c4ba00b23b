import { publishGeneration } from '@muster/backplane/generations.ts'
import { unauthenticated } from '@muster/kit/errors.ts'
import { orderKeysOf, peppered } from '@muster/kit/secrets/keyring.ts'
import type { OrderKeyStatement } from '@muster/kit/secrets/order-keys.ts'
import { limitsOf, originOf } from '../../access/auth/index.ts'
import { implement } from '../../operation.ts'
import { liveEvent, publishEvents } from '../../platform/live-events/index.ts'
import { findRegistered, findTwins, lockMachine, noteDuplicates } from '../devices/index.ts'
import { deviceChanged } from '../devices/state/device-events.contract.ts'
import { agents as contract } from './agents.contract.ts'
import { isDeviceCertificate, signDeviceCertificate } from './certificates.ts'
import { againstGuessing, hashOfCode, isInstallCode } from './codes/install-code.ts'
import { admitMachine, type Credential, grantOf } from './grants.ts'
import { replaceKey } from './replace-key.ts'

/** The keys that an agent trusts: those of the newest statement. */
function trustedKeys(statements: readonly OrderKeyStatement[]) {
  const newest = statements.at(-1)
  if (newest === undefined) throw new Error('A key file always has a statement of its keys')
  return { serial: newest.serial, keys: newest.keys }
}

export default implement(contract, {
  async enroll({ input, request, services, write, audit, afterCommit }) {
    const address = originOf(request.ip)
    await limitsOf(services).take('enrollPerAddress', address)
    const { enrollmentKey, osName = null, osVersion = null, machineId = null, previous, ...given } = input
    const key = enrollmentKey ?? request.header('x-enrollment-key') ?? ''
    if (key === '') throw unauthenticated('An enrollment key is required')
    const machine = { ...given, osName, osVersion, machineId }
    const nowMs = services.clock.now()
    const credential: Credential = isInstallCode(key)
      ? { codeHash: hashOfCode(services.keyring, key) }
      : { keyHash: peppered(services.keyring, key) }

    const enroll = () =>
      write(async (db) => {
        const grant = await grantOf(db, credential, nowMs)
        await lockMachine(db, grant.orgId, machine.publicKey)
        // A lost response is requested again. The machine is enrolled already and uses the key only once.
        const same = await findRegistered(db, grant.orgId, machine)
        const known = same ?? (previous === undefined ? undefined : await replaceKey(db, grant, machine, previous))
        const admitted = known ?? (await admitMachine(db, grant, machine, nowMs))
        const { id, orgId, partnerId, siteId } = admitted
        if (same === undefined && known !== undefined)
          afterCommit(() => publishGeneration(services.redis, id, known.keyGeneration))
        const twins = known === undefined ? await findTwins(db, admitted, machineId) : []
        audit({
          target: id,
          name: machine.hostname,
          orgId,
          partnerId,
          actor: { type: 'agent', id },
          details: {
            ...{ enrollmentKeyId: grant.id, agentVersion: machine.agentVersion, again: known !== undefined },
            ...(grant.codeId !== null && { installCodeId: grant.codeId }),
          },
        })
        if (twins.length > 0) {
          const about = { publicUrl: services.settings.publicUrl, at: new Date(nowMs).toISOString() }
          await noteDuplicates(db, { ...admitted, hostname: machine.hostname }, twins, about)
          audit({
            action: 'device.possible_duplicate',
            target: id,
            name: machine.hostname,
            orgId,
            partnerId,
            actor: { type: 'agent', id },
            details: { sameMachineAs: twins },
          })
        }
        const event = liveEvent(deviceChanged, partnerId, {
          orgId,
          siteId,
          deviceId: id,
          at: nowMs,
          changed: 'enrolled',
        })
        if (known === undefined) afterCommit(() => publishEvents(services.redis, [event]))
        return admitted
      })
    const device =
      'codeHash' in credential ? await againstGuessing(limitsOf(services), address, enroll) : await enroll()

    const { id: deviceId, orgId, partnerId, siteId, keyGeneration: generation } = device
    const certified = { deviceId, orgId, partnerId, generation, publicKey: machine.publicKey }
    const certificate = await signDeviceCertificate(services.keyring, certified, nowMs)
    const { ingestUrl } = services.settings
    const orderKeys = trustedKeys(orderKeysOf(services.keyring).orderStatements)
    const grantKeys = trustedKeys(services.grantKeyring.grantStatements)
    return { deviceId, certificate, ingestUrl, orgId, siteId, orderKeys, grantKeys }
  },

  async orderKeys({ input, request, services }) {
    await limitsOf(services).take('orderKeysPerAddress', originOf(request.ip))
    const now = services.clock.now()
    if (!(await isDeviceCertificate(services.keyring, input.certificate, now))) {
      throw unauthenticated('A device certificate of this server is required')
    }
    const { orderStatements: statements } = orderKeysOf(services.keyring)
    const { grantStatements } = services.grantKeyring
    const grantKeys = { ...trustedKeys(grantStatements), statements: grantStatements }
    return { ...trustedKeys(statements), statements, serverTime: now, grantKeys }
  },
})
