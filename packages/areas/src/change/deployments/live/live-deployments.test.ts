import { publishLive } from '@muster/backplane/live.ts'
import { call, events } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { type Person, person } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { course } from '../course/course.contract.ts'
import { deployments } from '../deployments.contract.ts'
import { deploymentTurns } from '../engine/turns.jobs.ts'
import { type Fleet, fleetOf, look, Staged, swift } from '../testing/staged.ts'
import { live } from './live-deployments.contract.ts'
import { Changes, changeOf } from './tell-changed.ts'

const { system, redis } = await testServices()
let fleet: Fleet
beforeAll(async () => {
  fleet = await fleetOf(2)
})
const all = { batches: [{ percent: 100 }] }

/** Watches, and has begun when the promise resolves. */
async function watching(who: Pick<Person, 'token'>, deploymentIds?: string[]) {
  const leaving = new AbortController()
  const stream = events(who, live.events, deploymentIds ? { deploymentIds } : {}, { signal: leaving.signal })
  onTestFinished(() => leaving.abort())
  const next = async () => (await stream.next()).value
  expect(await next()).toMatchObject({ type: 'resync' })
  return { next }
}

describe('watching deployments', () => {
  it('tells of each step that a person takes, and of what the engine does', async () => {
    const { here } = fleet
    const watch = await watching(here.orgAdmin)
    const { id } = await call(here.orgAdmin, deployments.create, {
      ...{ orgId: here.org.id, name: 'Told', order: look, targets: { deviceIds: [...fleet.deviceIds] } },
      strategy: { ...swift, ...all },
    })
    const changed = { type: 'deployment.changed', deploymentId: id }
    expect(await watch.next()).toMatchObject(changed)
    await call(here.orgAdmin, deployments.initialize, { id })
    expect(await watch.next()).toMatchObject(changed)
    await call(here.orgAdmin, course.start, { id })
    expect(await watch.next()).toMatchObject(changed)
    const parts = await testWorkerParts()
    const turns = deploymentTurns.begin(parts)
    // The turns of other tests may be due too.
    while (!parts.published.some(({ event }) => event.deploymentId === id)) await turns?.()
    const { counts } = await call(here.orgAdmin, deployments.get, { id })
    expect(counts.queued).toBe(2)
  })

  it('tells nothing of a turn that changed nothing', async () => {
    const staged = await Staged.start(fleet, all)
    expect(await staged.turn()).not.toBeNull()
    expect(await staged.turn()).toBeNull()
  })

  it('tells each caller only of deployments that it sees', async () => {
    const { here, deviceIds } = fleet
    const { partner, org, site } = here
    const [atSite = ''] = deviceIds
    await system.query('UPDATE devices SET site_id = $1 WHERE id = $2', [site.id, atSite])
    const make = (targets: object, orgId: string | null = org.id) =>
      call(here.partnerAdmin, deployments.create, { orgId, name: 'Watched', order: look, targets })
    const near = await make({ deviceIds: [atSite] })
    const far = await make({ deviceIds: [deviceIds[1]] })
    const wide = await make({ deviceIds: [...deviceIds] }, null)
    const ofOrg = { scope: 'organization', partnerId: partner.id, orgId: org.id } as const
    const ofPartner = { scope: 'partner', partnerId: partner.id } as const
    const watches = {
      partner: await watching(here.partnerAdmin),
      organization: await watching(here.orgAdmin),
      site: await watching(await person(ofOrg, { role: 'Org Admin', siteIds: [site.id] })),
      selected: await watching(
        await person(ofPartner, { role: 'Partner Admin', orgAccess: 'selected', orgIds: [here.otherOrg.id] }),
      ),
      one: await watching(here.partnerAdmin, [wide.id]),
    }
    const others = await make({ orgIds: [here.otherOrg.id] }, here.otherOrg.id)
    const end = { partnerId: partner.id, id: others.id, orgId: here.otherOrg.id }
    const send = (...rows: Parameters<typeof changeOf>[0][]) =>
      publishLive(
        redis,
        partner.id,
        rows.map((row) => changeOf(row).event),
      )
    await send(near, far, wide, end)
    const told = async (watch: { next(): Promise<unknown> }, count: number) => {
      const ids = new Set<unknown>()
      while (ids.size < count) ids.add(Object(await watch.next()).deploymentId)
      return [...ids].toSorted()
    }
    const ids = (...rows: { id: string }[]) => rows.map(({ id }) => id).toSorted()
    expect(await told(watches.partner, 4)).toEqual(ids(near, far, wide, others))
    expect(await told(watches.organization, 2)).toEqual(ids(near, far))
    expect(await told(watches.site, 1)).toEqual(ids(near))
    expect(await told(watches.selected, 1)).toEqual(ids(others))
    expect(await told(watches.one, 1)).toEqual(ids(wide))
  })
})

describe('changes that a worker makes', () => {
  it('leave once a second for each deployment, the last one always', () => {
    const changes = new Changes()
    const place = { partnerId: 'p', orgId: null }
    const change = (id: string) => changeOf({ ...place, id })
    const take = (atMs: number) => changes.take(atMs).map(({ event }) => event.deploymentId)
    changes.note('a', change('a'))
    expect(take(0)).toEqual(['a'])
    changes.note('a', change('a'))
    changes.note('b', change('b'))
    expect(take(100)).toEqual(['b'])
    changes.note('a', change('a'))
    expect(take(999)).toEqual([])
    expect(take(1_000)).toEqual(['a'])
    expect(take(9_000)).toEqual([])
  })
})
