// Case D7: live channels deliver no events of other partners. Callers of one partner open every channel, also with the
// ids of another partner, which then causes events of every kind.

import { deployments } from '@muster/areas/change/deployments/deployments.contract.ts'
import { autoUpdate } from '@muster/areas/control/commands/auto-update/auto-update.contract.ts'
import { commands } from '@muster/areas/control/commands/commands.contract.ts'
import { lifecycle } from '@muster/areas/control/lifecycle/lifecycle.contract.ts'
import { agents } from '@muster/areas/fleet/enrollment/agents.contract.ts'
import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { publishEvents } from '@muster/areas/platform/live-events/index.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime } from '@muster/areas/runtime.ts'
import { alerts } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { notify } from '@muster/areas/watch/notifications/index.ts'
import { type LiveEvent, publishLive } from '@muster/backplane/live.ts'
import { asSystem } from '@muster/db/database.ts'
import { follow } from '@muster/kit/operation/follow.ts'
import { call, refusal, requestAs } from '@muster/testkit/call.ts'
import { machine } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import { buildStage, type StageWorld } from './stage.ts'

const services = await testServices()
const runtime = createRuntime(services)
const mine = await buildStage()
const theirs = await buildStage()
const reply = { header() {}, cookie() {} }

const subscriptions = operations.filter(({ endpoint }) => endpoint.kind === 'subscription')
const ofOneThing = subscriptions.filter(({ endpoint }) => endpoint.path.includes('/:'))
const channels = subscriptions.filter((operation) => !ofOneThing.includes(operation))
const status = ({ stage }: StageWorld, at: number): LiveEvent => ({
  type: 'device.status',
  orgId: stage.org,
  siteId: stage.site,
  deviceId: stage.device,
  at,
  status: 'online',
})

const alertOpened = ({ stage }: StageWorld, at: number): LiveEvent => ({
  type: 'alert.opened',
  orgId: stage.org,
  siteId: stage.site,
  deviceId: stage.device,
  alertId: stage.alert,
  ruleId: null,
  source: 'system',
  severity: 'high',
  status: 'active',
  title: 'Problem',
  at,
})

const deploymentEvent = ({ stage }: StageWorld, at: number): LiveEvent => ({
  ...{ type: 'deployment.changed', orgId: stage.org, deploymentId: stage.deployment, at },
})

/** By channel: how the other partner causes events, and the own event that ends the wait. */
const eventSources: Record<
  string,
  { make(): Promise<unknown>; end(at: number, listening: string[]): Promise<unknown> }
> = {
  'devices.live.events': {
    async make() {
      const { world, stage } = theirs
      const admin = world.partnerAdmin
      const { key } = await call(admin, keys.create, { orgId: stage.org, name: 'Other' })
      const { deviceId } = await call(null, agents.enroll, { enrollmentKey: key, ...machine('other') })
      await call(admin, commands.create, { id: deviceId, type: 'run_script', payload: { script: 'true' } })
      await call(admin, autoUpdate.set, { id: deviceId, enabled: false })
      await call(admin, lifecycle.moveOrg, { id: deviceId, orgId: stage.otherOrg })
      await call(admin, lifecycle.remove, { id: deviceId })
      const types = ['device.status', 'device.heartbeat', 'device.changed', 'command.changed'] as const
      for (const type of types) await publishLive(services.redis, stage.partner, [{ ...status(theirs, 1), type }])
    },
    end: (at) => publishLive(services.redis, mine.stage.partner, [status(mine, at)]),
  },
  'alerts.alerts.events': {
    async make() {
      const admin = theirs.world.partnerAdmin
      await call(admin, alerts.acknowledge, { id: theirs.stage.alert })
      await call(admin, alerts.suppress, { id: theirs.stage.alert })
      await call(admin, alerts.resolve, { id: theirs.stage.alert })
      for (const type of ['alert.opened', 'alert.reopened'])
        await publishLive(services.redis, theirs.stage.partner, [{ ...alertOpened(theirs, 1), type }])
    },
    end: (at) => publishLive(services.redis, mine.stage.partner, [alertOpened(mine, at)]),
  },
  'deployments.live.events': {
    async make() {
      const { world, stage } = theirs
      await call(world.partnerAdmin, deployments.update, { id: stage.deployment, description: 'Other' })
      await publishLive(services.redis, stage.partner, [deploymentEvent(theirs, 1)])
    },
    end: (at) => publishLive(services.redis, mine.stage.partner, [deploymentEvent(mine, at)]),
  },
  'notifications.notifications.events': {
    async make() {
      const { partner, org } = theirs.stage
      const subjects = [{ title: 'Other', priority: 'normal' } as const]
      const notice = { partnerId: partner, orgId: org, key: 'other', type: 'system', subjects, audience: {} } as const
      await publishEvents(services.redis, await asSystem(services.system, (db) => notify(db, [notice])))
    },
    // Each listener hears of its own notifications.
    end: (at, listening) =>
      publishLive(
        services.redis,
        mine.stage.partner,
        listening.map((userId) => ({ type: 'notifications.changed', orgId: mine.stage.org, userId, at })),
      ),
  },
}

async function listeners(): Promise<{ name: string; who: Pick<Person, 'token' | 'userId'> }[]> {
  const { world, stage } = mine
  const ofPartner = { scope: 'partner', partnerId: world.partner.id } as const
  const ofOrg = { scope: 'organization', partnerId: world.partner.id, orgId: world.org.id } as const
  const role = 'Org Admin'
  return [
    { name: 'partner', who: world.partnerAdmin },
    {
      name: 'selected',
      who: await person(ofPartner, { role: 'Partner Admin', orgAccess: 'selected', orgIds: [stage.org] }),
    },
    { name: 'organization', who: world.orgAdmin },
    { name: 'site', who: await person(ofOrg, { role, siteIds: [stage.site] }) },
    { name: 'group', who: await person(ofOrg, { role, deviceGroupIds: [stage.group] }) },
    // Memberships with the ids of another partner, as if they had been written directly to the database.
    {
      name: 'stretched',
      who: await person(ofPartner, {
        role: 'Partner Admin',
        orgAccess: 'selected',
        orgIds: [stage.org, theirs.stage.org],
      }),
    },
    {
      name: 'stretched to a group',
      who: await person(ofOrg, { role, deviceGroupIds: [stage.group, theirs.stage.group] }),
    },
  ]
}

/**
 * Inputs to open a channel with: an empty one, and the other partner's ids in every field that the channel accepts.
 * Foreign organizations are rejected (organization-filter.test.ts), so the filter names the own organization.
 */
function guesses({ endpoint }: Operation): object[] {
  const { stage } = theirs
  const both = {
    orgIds: [mine.stage.org],
    siteIds: [stage.site, mine.stage.site],
    deviceIds: [stage.device, mine.stage.device],
  }
  const more = { partnerId: stage.partner, partnerIds: [stage.partner], orgId: '*', channel: `live:${stage.partner}` }
  return [{}, both, { ...both, ...more }].filter((given) => endpoint.input.safeParse(given).success)
}

describe('D7', () => {
  it('causes events on every channel', () => {
    expect(channels.map(({ id }) => id).sort()).toEqual(Object.keys(eventSources).sort())
  })

  it.each(channels.map((operation) => ({ id: operation.id, operation })))(
    '$id delivers no event of another partner',
    async ({ id, operation }) => {
      const gone = new AbortController()
      afterAll(() => gone.abort())
      const opened = []
      const all = await listeners()
      for (const { name, who } of all) {
        for (const given of guesses(operation)) {
          const stream = follow(operation, given, { ...requestAs(who), signal: gone.signal }, reply, runtime)
          await stream.next()
          opened.push({ name, stream })
        }
      }
      expect(opened).toHaveLength(all.length * guesses(operation).length)
      await eventSources[id]?.make()
      const at = 4_102_444_800_000
      await eventSources[id]?.end(
        at,
        all.map(({ who }) => who.userId),
      )
      for (const { name, stream } of opened) {
        const { value } = await stream.next()
        // The channels of persons carry no organization.
        expect({ name, orgId: mine.stage.org, ...Object(value) }).toMatchObject({ name, orgId: mine.stage.org, at })
      }
    },
  )

  it.each(ofOneThing.map((operation) => ({ id: operation.id, operation })))(
    '$id cannot be opened with any id of another partner',
    async ({ operation }) => {
      const example = exampleOf(operation)
      const [own, foreign] = [mine, theirs].map(({ stage }) => Object(example.input(stage, 'partner')))
      const fields = Object.keys(foreign).filter((field) => foreign[field] !== own[field])
      expect(fields.length).toBeGreaterThan(0)
      const inputs = [foreign, ...fields.map((field) => ({ ...own, [field]: foreign[field] }))]
      for (const { name, who } of await listeners()) {
        for (const input of inputs) {
          const told = await refusal(follow(operation, input, requestAs(who), reply, runtime).next())
          expect({ name, input, status: told.status }).toEqual({ name, input, status: 404 })
        }
      }
    },
  )
})
