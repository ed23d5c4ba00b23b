import { call, events, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { roles } from '../../../access/roles/roles.contract.ts'
import { users } from '../../../access/users/users.contract.ts'
import { groups } from '../../../fleet/groups/groups.contract.ts'
import { partners } from '../../../tenancy/tenancy/partners/partners.contract.ts'
import { sites } from '../../../tenancy/tenancy/sites/sites.contract.ts'
import { blastRadius } from '../bulk/blast-radius.ts'
import { commands } from '../commands.contract.ts'
import { output } from '../output/output.contract.ts'
import { approvals } from './approvals.contract.ts'

// The services of this file, before those of the first describe that asks for them.
await testServices()
const script = { type: 'run_script', payload: { script: 'echo secret', env: { TOKEN: 'secret' } } } as const

describe('a command that waits for a second person', async () => {
  const here = await world()
  const orgId = here.org.id
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
  const elsewhere = await call(here.partnerAdmin, sites.create, { orgId, name: 'Elsewhere' })
  const [one = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'one')
  const names = Array.from({ length: blastRadius.devices }, (_, index) => `other-${index}`)
  const others = await enrolled(here.partnerAdmin, { orgId, siteId: elsewhere.id }, ...names)
  const group = await call(here.orgAdmin, groups.create, { orgId, name: 'One', deviceIds: [one] })
  const atSite = await person(tenant, { role: 'Org Admin', siteIds: [here.site.id] })
  const inGroup = await person(tenant, { role: 'Org Admin', deviceGroupIds: [group.id] })
  await call(here.partnerAdmin, partners.updateMe, { settings: { secondPerson: true } })
  const ask = async (deviceIds: string[]) =>
    (await call(here.orgAdmin, commands.bulk, { deviceIds, ...script })).approval?.id ?? ''
  const both = await ask([one, ...others])

  it.each([
    ['sites', atSite],
    ['device groups', inGroup],
  ])('is hidden from members limited to %s unless they reach all of its devices', async (_limit, who) => {
    const { hash } = await call(here.orgAdmin, approvals.get, { id: both })
    expect(await call(who, approvals.list, {})).toMatchObject({ data: [], pagination: { total: 0 } })
    const tries = [
      () => call(who, approvals.get, { id: both }),
      () => call(who, approvals.approve, { id: both, hash }),
      () => call(who, approvals.refuse, { id: both }),
    ]
    for (const attempt of tries) expect(await refusal(attempt())).toMatchObject({ status: 404 })
  })

  it('shows its content only to callers who may send such a command, and to the requester', async () => {
    const executing = await call(here.orgAdmin, roles.create, {
      name: 'Reboots',
      permissions: [
        { resource: 'devices', action: 'execute' },
        { resource: 'devices', action: 'read' },
      ],
    })
    const reboots = await person(tenant, { role: 'Org Viewer' })
    await call(here.orgAdmin, users.role, { id: reboots.userId, roleId: executing.id })
    expect(await call(reboots, approvals.get, { id: both })).toMatchObject({
      payload: null,
      devices: others.length + 1,
    })
    expect(await call(here.orgAdmin, approvals.get, { id: both })).toMatchObject({ payload: script.payload })
  })
})

describe('the content of a command', async () => {
  const here = await world()
  const orgId = here.org.id
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
  const [device = ''] = await enrolled(here.partnerAdmin, { orgId }, 'one')
  const viewer = await person(tenant, { role: 'Org Viewer' })
  const technician = await person(tenant, { role: 'Org Technician' })
  const { id: commandId } = await call(technician, commands.create, { id: device, ...script })

  it('is hidden from callers who may not send it', async () => {
    const shown = await call(viewer, commands.get, { id: device, commandId })
    expect(shown).toMatchObject({ status: 'pending', payload: null, result: null, stdout: null, stderr: null })
    expect(JSON.stringify(shown)).not.toContain('secret')
    expect(await call(technician, commands.get, { id: device, commandId })).toMatchObject({ payload: script.payload })
  })

  it('is not streamed to callers who may not send it', async () => {
    const stream = events(viewer, output.follow, { id: device, commandId })
    expect(await refusal(stream.next())).toMatchObject({ status: 403 })
    const own = events(technician, output.follow, { id: device, commandId })
    expect((await own.next()).value).toMatchObject({ type: 'status' })
    await own.return(undefined)
  })
})
