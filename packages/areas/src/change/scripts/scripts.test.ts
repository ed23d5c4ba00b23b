import { createHash } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { categories } from '../script-library/categories.contract.ts'
import { scripts } from './scripts.contract.ts'

const here = await world()
const orgId = here.org.id
const plain = { name: 'Disk space', language: 'bash', content: 'df -h' } as const
const ofOrganization = (more: object = {}) => call(here.orgAdmin, scripts.create, { ...plain, ...more })
const ofPartner = (more: object = {}) => call(here.partnerAdmin, scripts.create, { ...plain, ...more })
const otherOrgAdmin = await person(
  { scope: 'organization', partnerId: here.partner.id, orgId: here.otherOrg.id },
  { role: 'Org Admin' },
)
const selected = await person(
  { scope: 'partner', partnerId: here.partner.id },
  { role: 'Partner Technician', orgAccess: 'selected', orgIds: [orgId] },
)

describe('a script', () => {
  it('belongs to its organization, with its first version approved', async () => {
    const made = await ofOrganization({ tags: ['disk', 'disk'], exitCodes: { 2: 'warning', '*': 'critical' } })
    expect(made).toMatchObject({
      ...{ partnerId: here.partner.id, orgId, source: 'organization', version: 1, tags: ['disk'] },
      ...{ timeoutSeconds: 300, runAs: 'system', runAsUser: null, exitCodes: { 2: 'warning', '*': 'critical' } },
      approvedVersionId: made.versionId,
      createdBy: here.orgAdmin.userId,
      sha256: createHash('sha256').update('df -h').digest('hex'),
    })
    expect(await call(here.orgAdmin, scripts.get, { id: made.id })).toEqual(made)
  })

  it('leaves its content out of lists and of the audit log', async () => {
    const made = await ofOrganization({ content: 'echo hidden-from-lists' })
    const { data } = await call(here.orgAdmin, scripts.list, {})
    expect(data.map(({ id }) => id)).toContain(made.id)
    expect(JSON.stringify([data, await auditOf(made.id)])).not.toContain('hidden-from-lists')
  })

  it('is found by text, language, system, tag, category and source', async () => {
    const category = await call(here.orgAdmin, categories.create, { orgId, name: 'Found' })
    const wanted = await ofOrganization({
      ...{ name: 'Needle 100%', language: 'python', osTypes: ['windows'], tags: ['needle'], categoryId: category.id },
    })
    await ofOrganization({ osTypes: ['linux'] })
    for (const filter of [
      { search: 'NEEDLE 100%' },
      { language: 'python' as const },
      { osType: 'windows' as const, tag: 'needle' },
      { tag: 'needle' },
      { categoryId: category.id },
    ]) {
      const { data } = await call(here.orgAdmin, scripts.list, filter)
      expect(
        data.map(({ id }) => id),
        JSON.stringify(filter),
      ).toEqual([wanted.id])
    }
    const shared = await ofPartner({ name: 'Shared', sharedWithOrganizations: true })
    const { data } = await call(here.orgAdmin, scripts.list, { source: 'partner' })
    expect(data.map(({ id }) => id)).toEqual([shared.id])
  })

  it('runs on any system unless it names some', async () => {
    const any = await ofOrganization({ name: 'Anywhere' })
    const { data } = await call(here.orgAdmin, scripts.list, { osType: 'macos', search: 'Anywhere' })
    expect(data.map(({ id }) => id)).toEqual([any.id])
  })

  it.each([
    ['no content', { content: '' }],
    ['more than 256 KiB', { content: 'ä'.repeat(140_000) }],
    ['NUL in its content', { content: 'a\0' }],
    ['an account without running as a user', { runAsUser: 'app' }],
    [
      'two parameters of one name',
      {
        parameters: [
          { name: 'a', type: 'text' },
          { name: 'A', type: 'text' },
        ],
      },
    ],
    ['a severity that does not exist', { exitCodes: { 1: 'bad' } }],
    ['an exit code that is no number', { exitCodes: { one: 'info' } }],
    ['a day and a second', { timeoutSeconds: 86_401 }],
    ['a category that does not exist', { categoryId: '00000000-0000-4000-8000-000000000000' }],
    ['sharing, although it is of an organization', { sharedWithOrganizations: true }],
  ])('is refused with %s', async (_words, more) => {
    expect(await refusal(ofOrganization(more))).toMatchObject({ status: 400 })
  })

  it('is refused with a parameter whose definition is unsound, by its place', async () => {
    const parameters = [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'text', pattern: '(?=x)' },
    ]
    expect(await refusal(ofOrganization({ parameters }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('parameters.1.pattern'),
    })
  })
})

describe('a script of the whole partner', () => {
  it('is shown to organizations only when it is shared with them', async () => {
    const made = await ofPartner()
    expect(made).toMatchObject({ orgId: null, source: 'partner' })
    expect(await refusal(call(here.orgAdmin, scripts.get, { id: made.id }))).toMatchObject({ status: 404 })
    const before = await call(here.orgAdmin, scripts.list, {})
    expect(before.data.map(({ id }) => id)).not.toContain(made.id)
    await call(here.partnerAdmin, scripts.update, { id: made.id, sharedWithOrganizations: true })
    expect(await call(here.orgAdmin, scripts.get, { id: made.id })).toMatchObject({ content: 'df -h' })
    expect(await call(otherOrgAdmin, scripts.get, { id: made.id })).toMatchObject({ id: made.id })
    await call(here.partnerAdmin, scripts.update, { id: made.id, sharedWithOrganizations: false })
    expect(await refusal(call(here.orgAdmin, scripts.get, { id: made.id }))).toMatchObject({ status: 404 })
  })

  it('is shown to people of the partner who reach some organizations, and changed by none of them', async () => {
    const made = await ofPartner()
    expect(await call(selected, scripts.get, { id: made.id })).toMatchObject({ id: made.id })
    expect(await refusal(call(selected, scripts.update, { id: made.id, name: 'Mine' }))).toMatchObject({ status: 403 })
    expect(await refusal(call(selected, scripts.create, plain))).toMatchObject({ status: 403 })
  })

  it('is not changed by an organization that sees it', async () => {
    const { id } = await ofPartner({ sharedWithOrganizations: true })
    expect(await refusal(call(here.orgAdmin, scripts.update, { id, content: 'reboot' }))).toMatchObject({ status: 403 })
    expect(await refusal(call(here.orgAdmin, scripts.remove, { id }))).toMatchObject({ status: 403 })
  })
})

describe('an update', () => {
  it('of what runs makes a version and keeps the rest', async () => {
    const made = await ofOrganization({ tags: ['a'], args: ['-h'] })
    const after = await call(here.orgAdmin, scripts.update, { id: made.id, content: 'df -i', version: 1 })
    expect(after).toMatchObject({ version: 2, content: 'df -i', args: ['-h'], tags: ['a'], language: 'bash' })
    expect(after.versionId).not.toBe(made.versionId)
    expect(after.approvedVersionId).toBe(after.versionId)
    expect(after.sha256).not.toBe(made.sha256)
    const [, record] = await auditOf(made.id)
    expect(record).toMatchObject({ action: 'script.update', changed_fields: expect.arrayContaining(['version']) })
  })

  it('of its name, its tags or its severities makes none', async () => {
    const made = await ofOrganization()
    const given = { name: 'Other', tags: ['b'], exitCodes: { 3: 'info' as const }, osTypes: ['linux' as const] }
    const after = await call(here.orgAdmin, scripts.update, { id: made.id, ...given, content: made.content })
    expect(after).toMatchObject({ ...given, version: 1, versionId: made.versionId })
  })

  it('that is based on an older version is refused', async () => {
    const { id } = await ofOrganization()
    const change = (content: string) => call(here.orgAdmin, scripts.update, { id, content, version: 1 })
    const both = await Promise.allSettled([change('one'), change('two')])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await refusal(change('three'))).toMatchObject({
      status: 409,
      message: 'The script has version 2 by now. Get it and repeat the change',
    })
    expect(await refusal(call(here.orgAdmin, scripts.update, { id }))).toMatchObject({ status: 400 })
  })
})

it('a deleted script is gone for everyone', async () => {
  const { id } = await ofOrganization()
  await call(here.orgAdmin, scripts.remove, { id })
  expect(await refusal(call(here.orgAdmin, scripts.get, { id }))).toMatchObject({ status: 404 })
  expect(await refusal(call(here.partnerAdmin, scripts.remove, { id }))).toMatchObject({ status: 404 })
})
