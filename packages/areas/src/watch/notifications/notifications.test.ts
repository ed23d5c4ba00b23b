import { asSystem } from '@muster/db/database.ts'
import { call, events, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { keys } from '../../access/api-keys/keys.contract.ts'
import { publishEvents } from '../../platform/live-events/index.ts'
import { type Notice, notify } from './index.ts'
import { notifications } from './notifications.contract.ts'
import { forgetOldNotifications } from './notifications.jobs.ts'
import type { Subject } from './notify.ts'

const { system, redis } = await testServices()
const { partner, org, otherOrg, site, ...people } = await world()
const { partnerAdmin, partnerViewer, orgAdmin } = people
const ofPartner = { scope: 'partner', partnerId: partner.id } as const
const ofOrg = { scope: 'organization', partnerId: partner.id, orgId: org.id } as const

let counter = 0
const subject = (more: Partial<Subject> = {}): Subject => ({
  priority: 'high',
  title: 'CPU above 90 %',
  body: 'On reception',
  link: { kind: 'alert', id: 'a1' },
  ...more,
})
const notice = ({ title, ...more }: Partial<Notice> & { readonly title?: string } = {}): Notice => ({
  partnerId: partner.id,
  orgId: org.id,
  type: 'alert',
  subjects: [subject(title === undefined ? {} : { title })],
  key: `key ${++counter}`,
  audience: {},
  ...more,
})
const tell = (...notices: Notice[]) => asSystem(system, (db) => notify(db, notices))
const titlesOf = async (who: Person) => (await call(who, notifications.list, {})).data.map(({ title }) => title)
const told = async (people: Record<string, Person>, title: string) => {
  const heard: string[] = []
  for (const [name, who] of Object.entries(people)) if ((await titlesOf(who)).includes(title)) heard.push(name)
  return heard
}

describe('notifications', () => {
  it('are read by signed-in people, not with API keys', async () => {
    const { key } = await call(partnerAdmin, keys.create, { name: 'Alerts', scopes: ['alerts:read', 'alerts:write'] })
    const given = { headers: { 'x-api-key': key } }

    const refused = { status: 403, message: 'API keys cannot be used for this operation' }
    expect(await refusal(call(null, notifications.list, {}, given))).toMatchObject(refused)
    expect(await refusal(call(null, notifications.unreadCount, {}, given))).toMatchObject(refused)
  })
})

describe('a notice', () => {
  it('reaches the members who reach the place, and no one else', async () => {
    const everyone = {
      partnerAdmin,
      orgAdmin,
      selected: await person(ofPartner, { role: 'Partner Viewer', orgAccess: 'selected', orgIds: [org.id] }),
      selectedOther: await person(ofPartner, { role: 'Partner Viewer', orgAccess: 'selected', orgIds: [otherOrg.id] }),
      atSite: await person(ofOrg, { role: 'Org Viewer', siteIds: [site.id] }),
      elsewhere: (await world()).partnerAdmin,
    }
    await tell(notice({ title: 'organization' }), notice({ title: 'partner', orgId: null }))
    await tell(notice({ subjects: [subject({ title: 'site', siteId: site.id })] }))
    expect(await told(everyone, 'organization')).toEqual(['partnerAdmin', 'orgAdmin', 'selected'])
    expect(await told(everyone, 'partner')).toEqual(['partnerAdmin'])
    expect(await told(everyone, 'site')).toEqual(['partnerAdmin', 'orgAdmin', 'selected', 'atSite'])
  })

  it('reaches only holders of a permission, or the named people and roles', async () => {
    const everyone = { partnerAdmin, partnerViewer, orgAdmin }
    await tell(
      notice({ title: 'writers', audience: { permission: 'settings:write' } }),
      notice({ title: 'readers', audience: { permission: 'alerts:read' } }),
      notice({ title: 'named', audience: { userIds: [partnerViewer.userId, (await world()).orgAdmin.userId] } }),
    )
    expect(await told(everyone, 'writers')).toEqual(['partnerAdmin', 'orgAdmin'])
    expect(await told(everyone, 'readers')).toEqual(['partnerAdmin', 'partnerViewer', 'orgAdmin'])
    expect(await told(everyone, 'named')).toEqual(['partnerViewer'])
  })

  it('is shown once for each key, with a growing count, and is unread again', async () => {
    const who = await person(ofOrg, { role: 'Org Admin' })
    const same = notice({ key: 'group 1', title: 'first' })
    await tell(same)
    const [first] = (await call(who, notifications.list, {})).data
    await call(who, notifications.update, { id: first?.id ?? '', read: true })
    await tell({ ...same, subjects: [subject({ title: 'second' })] })
    expect((await call(who, notifications.list, {})).data).toMatchObject([
      { id: first?.id, title: 'second', count: 2, readAt: null, link: { kind: 'alert', id: 'a1' } },
    ])
  })
})

describe('a notice about several subjects', () => {
  it('shows each member only those within reach, the first of them by name', async () => {
    const atSite = await person(ofOrg, { role: 'Org Viewer', siteIds: [site.id] })
    const subjects = [
      subject({ title: 'elsewhere', priority: 'urgent' }),
      subject({ title: 'here', siteId: site.id }),
      subject({ title: 'here too', siteId: site.id }),
    ]
    await tell(notice({ plural: 'alerts', subjects }))
    expect(await titlesOf(orgAdmin)).toContain('3 alerts: elsewhere')
    expect((await call(atSite, notifications.list, {})).data).toMatchObject([
      { title: '2 alerts: here', priority: 'high' },
    ])
  })
})

describe('the notifications of a person', () => {
  it('are listed by type, priority and unread, counted, read, deleted and cleared', async () => {
    const who = await person(ofOrg, { role: 'Org Admin' })
    await tell(
      notice({ title: 'one' }),
      notice({ type: 'system', subjects: [subject({ title: 'two', priority: 'low' })] }),
    )
    const listed = async (input: object) => (await call(who, notifications.list, input)).data.map(({ title }) => title)
    expect(await listed({ type: 'system' })).toEqual(['two'])
    expect(await listed({ priority: 'high' })).toEqual(['one'])
    expect(await call(who, notifications.unreadCount, {})).toEqual({ count: 2 })
    const [{ id } = { id: '' }] = (await call(who, notifications.list, { type: 'alert' })).data
    expect(await call(who, notifications.update, { id, read: true })).toMatchObject({ readAt: expect.any(String) })
    expect(await listed({ unread: true })).toEqual(['two'])
    expect(await listed({ unread: false })).toEqual(['one'])
    expect(await call(who, notifications.update, { id, read: false })).toMatchObject({ readAt: null })
    expect(await refusal(call(who, notifications.update, { id }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('No updates provided'),
    })
    expect(await call(who, notifications.remove, { id })).toEqual({ success: true })
    expect(await refusal(call(who, notifications.remove, { id }))).toMatchObject({ status: 404 })
    expect(await call(who, notifications.clear, {})).toEqual({ deleted: 1 })
    expect(await listed({})).toEqual([])
  })

  it('belong to that person alone', async () => {
    await tell(notice({ key: 'private', audience: { userIds: [orgAdmin.userId] } }))
    const [{ id } = { id: '' }] = (await call(orgAdmin, notifications.list, {})).data
    for (const who of [partnerAdmin, people.systemAdmin])
      expect(await refusal(call(who, notifications.update, { id, read: true }))).toMatchObject({ status: 404 })
  })

  it('of an organization that the person no longer reaches are hidden', async () => {
    const who = await person(ofPartner, { role: 'Partner Viewer', orgAccess: 'selected', orgIds: [org.id] })
    await tell(notice({ title: 'was mine' }))
    expect(await titlesOf(who)).toContain('was mine')
    await system.query(`UPDATE partner_users SET org_ids = $2 WHERE user_id = $1`, [who.userId, [otherOrg.id]])
    const again = await person(ofPartner, { role: 'Partner Viewer', orgAccess: 'selected', orgIds: [otherOrg.id] })
    await system.query('UPDATE notifications SET user_id = $2 WHERE user_id = $1', [who.userId, again.userId])
    expect(await titlesOf(again)).not.toContain('was mine')
  })

  it('are streamed as changes without content', async () => {
    const leaving = new AbortController()
    onTestFinished(() => leaving.abort())
    const stream = events(orgAdmin, notifications.events, {}, { signal: leaving.signal })
    expect((await stream.next()).value).toMatchObject({ type: 'resync' })
    await publishEvents(redis, await tell(notice({ audience: { userIds: [partnerAdmin.userId] } })))
    await publishEvents(redis, await tell(notice({ audience: { userIds: [orgAdmin.userId] } })))
    expect((await stream.next()).value).toEqual({
      type: 'notifications.changed',
      userId: orgAdmin.userId,
      at: expect.any(Number),
    })
  })

  it('are deleted after 90 days', async () => {
    const who = await person(ofOrg, { role: 'Org Admin' })
    await tell(notice({ title: 'old' }), notice({ title: 'new' }))
    await system.query(
      `UPDATE notifications SET created_at = now() - interval '91 days' WHERE user_id = $1 AND title = 'old'`,
      [who.userId],
    )
    await forgetOldNotifications(system)
    expect(await titlesOf(who)).toEqual(['new'])
  })
})
