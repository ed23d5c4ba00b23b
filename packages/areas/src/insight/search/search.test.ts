import { randomBytes } from 'node:crypto'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { roles } from '../../access/roles/roles.contract.ts'
import { users } from '../../access/users/users.contract.ts'
import { organizations } from '../../tenancy/tenancy/organizations/organizations.contract.ts'
import { search } from './search.contract.ts'

const { system } = await testServices()
const here = await world()
const elsewhere = await world()
const admin = here.partnerAdmin
/** Part of all names of this test, so that the data of other tests does not match. */
const own = randomBytes(4).toString('hex')

async function device(
  hostname: string,
  { orgId = here.org.id, partnerId = here.partner.id, siteId = null as string | null } = {},
) {
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO devices (org_id, partner_id, site_id, hostname, os_type) VALUES ($1, $2, $3, $4, 'linux') RETURNING id`,
    [orgId, partnerId, siteId, hostname],
  )
  return rows[0]?.id ?? ''
}
const find = async (q: string, who: Person = admin, more: object = {}) =>
  (await call(who, search.find, { q, ...more })).data
const titles = async (q: string, who: Person = admin, more: object = {}) =>
  (await find(q, who, more)).map(({ title }) => title)

describe('search', () => {
  it('lists exact matches first, then prefixes, then substrings', async () => {
    const name = `kiosk${own}`
    for (const hostname of [`old-${name}`, `x${name}`, `${name}-2`, name]) await device(hostname)
    expect(await titles(name)).toEqual([name, `${name}-2`, `old-${name}`, `x${name}`])
    expect(await titles(name.toUpperCase())).toHaveLength(4)
    const [first] = await find(name)
    expect(first).toMatchObject({ type: 'device', orgId: here.org.id, orgName: here.org.name, score: 1 })
  })

  it('tolerates a misspelled word', async () => {
    const hostname = `database-${own}`
    await device(hostname)
    for (const typo of [`databsae-${own}`, `databse-${own}`, `datbase-${own}`])
      expect(await titles(typo)).toContain(hostname)
  })

  it('tolerates a misspelled word that all names have, beside a word that few have', async () => {
    const domain = `domain${own}`
    await system.query(
      `INSERT INTO devices (org_id, partner_id, hostname, os_type)
       SELECT $1, $2, 'till-' || n || $3, 'linux' FROM generate_series(4000, 4400) n`,
      [here.org.id, here.partner.id, `.${domain}`],
    )
    const misspelt = domain.replace('oma', 'moa')
    expect((await titles(`${misspelt} 4321`))[0]).toBe(`till-4321.${domain}`)
    expect(await titles(`${misspelt} xyzzy`, admin, { types: 'device' })).toEqual([])
  })

  it('finds devices, users and organizations together, or only the given types', async () => {
    const name = `${own}common`
    await device(name)
    await call(admin, users.update, { id: here.partnerViewer.userId, name: `${name} person` })
    await call(admin, organizations.update, { id: here.org.id, name: `${name} org` })
    expect((await find(name)).map(({ type }) => type)).toEqual(['device', 'organization', 'user'])
    expect((await find(name, admin, { types: 'user,device' })).map(({ type }) => type)).toEqual(['device', 'user'])
    expect(await find(here.partnerViewer.email)).toMatchObject([
      { type: 'user', id: here.partnerViewer.userId, score: 1 },
    ])
  })

  it('treats wildcard characters as plain text', async () => {
    await device(`100%${own}`)
    expect(await titles(`100%${own}`)).toEqual([`100%${own}`])
    expect(await titles('%%%', admin, { types: 'organization' })).toEqual([])
    for (const odd of ["'; DROP TABLE users; --", '\\', '_', '💥', '()|&!:*'])
      expect(await find(odd)).toBeInstanceOf(Array)
  })

  describe('search finds only what the caller reaches', () => {
    const name = `scoped${own}`
    let inSite = ''
    beforeAll(async () => {
      inSite = await device(`${name}-one`, { siteId: here.site.id })
      await device(`${name}-two`)
      await device(`${name}-three`, { orgId: here.otherOrg.id })
      await device(`${name}-foreign`, { orgId: elsewhere.org.id, partnerId: elsewhere.partner.id })
    })

    it('in a partner', async () => {
      expect((await titles(name)).sort()).toEqual([`${name}-one`, `${name}-three`, `${name}-two`])
      expect(await titles(name, elsewhere.partnerAdmin)).toEqual([`${name}-foreign`])
      expect(await titles(name, here.systemAdmin)).toHaveLength(4)
    })

    it('in selected organizations, and in none', async () => {
      const tenant = { scope: 'partner', partnerId: here.partner.id } as const
      const orgIds = [here.otherOrg.id]
      const selected = await person(tenant, { role: 'Partner Viewer', orgAccess: 'selected', orgIds })
      const idle = await person(tenant, { role: 'Partner Viewer', orgAccess: 'none' })
      expect(await titles(name, selected)).toEqual([`${name}-three`])
      expect(await titles(name, idle, { types: 'device,organization' })).toEqual([])
    })

    it('in an organization, and in one of its sites', async () => {
      const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
      const limited = await person(tenant, { role: 'Org Viewer', siteIds: [here.site.id] })
      expect((await titles(name, here.orgAdmin)).sort()).toEqual([`${name}-one`, `${name}-two`])
      expect((await find(name, limited)).map(({ id }) => id)).toEqual([inSite])
    })

    it('and no users of other tenants', async () => {
      const idsOf = async (email: string, who: Person) =>
        (await find(email, who, { types: 'user' })).map(({ id }) => id)
      expect(await idsOf(elsewhere.partnerViewer.email, admin)).not.toContain(elsewhere.partnerViewer.userId)
      expect(await idsOf(here.partnerViewer.email, here.orgAdmin)).not.toContain(here.partnerViewer.userId)
      expect(await find(here.orgAdmin.email, admin)).toMatchObject([{ id: here.orgAdmin.userId, orgId: here.org.id }])
    })

    it('and only types that the caller may read', async () => {
      const { id } = await call(admin, roles.create, {
        name: 'Sites only',
        permissions: [{ resource: 'sites', action: 'read' }],
      })
      const someone = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Viewer' })
      await call(admin, users.role, { id: someone.userId, roleId: id })
      expect(await find(name, someone)).toEqual([])
      expect(await find(someone.email, someone)).toEqual([])
    })

    it('and nothing deleted', async () => {
      const there = await world()
      await device(`gone${own}`, { orgId: there.org.id, partnerId: there.partner.id })
      await call(there.partnerAdmin, organizations.update, { id: there.org.id, name: `gone${own} org` })
      expect(await titles(`gone${own}`, there.partnerAdmin)).toHaveLength(2)
      await call(there.partnerAdmin, organizations.remove, { id: there.org.id })
      const gone = expect.stringMatching(`^gone${own}`)
      expect(await titles(`gone${own}`, there.partnerAdmin)).not.toContainEqual(gone)
      expect(await titles(`gone${own}`, here.systemAdmin)).not.toContainEqual(gone)
    })
  })
})
