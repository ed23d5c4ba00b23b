import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { approvals } from '../../control/commands/approvals/approvals.contract.ts'
import { executions } from '../scripts/executions/executions.contract.ts'
import { scripts } from '../scripts/scripts.contract.ts'
import { versions } from './versions.contract.ts'

const { system, people } = await testServices()
const here = await world()
const orgId = here.org.id
const made = () => call(here.orgAdmin, scripts.create, { orgId, name: 'Who', language: 'sh', content: 'who' })
const listed = async (id: string) => (await call(here.orgAdmin, versions.list, { id })).data

describe('the versions of a script', () => {
  it('are made with what is given, and listed newest first', async () => {
    const { id } = await made()
    const second = await call(here.orgAdmin, versions.create, { id, content: 'w', comment: 'Shorter' })
    expect(second).toMatchObject({ version: 2, content: 'w', language: 'sh', comment: 'Shorter', status: 'approved' })
    expect((await listed(id)).map(({ version, content }) => [version, content])).toEqual([
      [2, 'w'],
      [1, 'who'],
    ])
    expect(await call(here.orgAdmin, scripts.get, { id })).toMatchObject({ version: 2, versionId: second.id })
    const [, record] = await auditOf(id)
    expect(record).toMatchObject({ action: 'script.version.create', details: { version: 2, sha256: second.sha256 } })
  })

  it('cannot be changed or deleted in the database', async () => {
    const { versionId } = await made()
    for (const pool of [system, people]) {
      const change = pool.query(`UPDATE script_versions SET content = 'x' WHERE id = $1`, [versionId])
      await expect(change).rejects.toThrow('permission denied')
      const deletion = pool.query('DELETE FROM script_versions WHERE id = $1', [versionId])
      await expect(deletion).rejects.toThrow('permission denied')
    }
  })

  it('are refused when based on another than the newest', async () => {
    const { id } = await made()
    await call(here.orgAdmin, versions.create, { id, content: 'w' })
    const late = call(here.orgAdmin, versions.create, { id, content: 'id', version: 1 })
    expect(await refusal(late)).toMatchObject({ status: 409 })
  })

  it('are those of the script as it is shown to the caller', async () => {
    const { id } = await call(here.partnerAdmin, scripts.create, { name: 'Wide', language: 'sh', content: 'id' })
    expect(await refusal(call(here.orgAdmin, versions.list, { id }))).toMatchObject({ status: 404 })
    await call(here.partnerAdmin, scripts.update, { id, sharedWithOrganizations: true })
    expect(await listed(id)).toHaveLength(1)
    expect(await refusal(call(here.orgAdmin, versions.create, { id, content: 'x' }))).toMatchObject({ status: 403 })
  })
})

describe('a rollback', () => {
  it('adds a version with the old content', async () => {
    const { id, versionId, sha256 } = await made()
    await call(here.orgAdmin, scripts.update, { id, content: 'w', timeoutSeconds: 5 })
    const after = await call(here.orgAdmin, versions.rollback, { id, versionId })
    expect(after).toMatchObject({ version: 3, content: 'who', sha256, timeoutSeconds: 300 })
    const [newest] = await listed(id)
    expect(newest).toMatchObject({ version: 3, comment: 'Version 1 again', content: 'who' })
    const [, , record] = await auditOf(id)
    expect(record).toMatchObject({ action: 'script.rollback', details: { from: 1, version: 3 } })
  })

  it('to a version of another script is refused', async () => {
    const [one, other] = [await made(), await made()]
    const wrong = call(here.orgAdmin, versions.rollback, { id: one.id, versionId: other.versionId })
    expect(await refusal(wrong)).toMatchObject({ status: 404 })
  })
})

describe('where a second person is required, a new version', async () => {
  const there = await world()
  const second = await person({ scope: 'partner', partnerId: there.partner.id }, { role: 'Partner Admin' })
  const [device = ''] = await enrolled(there.partnerAdmin, { orgId: there.org.id }, 'approved-runs')
  const before = await call(there.partnerAdmin, scripts.create, { name: 'Twice', language: 'sh', content: 'id' })
  const { id } = before
  await call(there.partnerAdmin, approvals.require, { required: true })
  const added = (content: string) => call(there.partnerAdmin, versions.create, { id, content })
  const ran = async () =>
    (await call(there.partnerAdmin, executions.execute, { id, deviceIds: [device] })).executions[0]

  it('waits for another person, and executions take the approved one', async () => {
    const waiting = await added('whoami')
    expect(waiting).toMatchObject({ version: 2, status: 'pending_approval', judgedBy: null })
    expect(await call(second, scripts.get, { id })).toMatchObject({
      ...{ version: 2, versionId: waiting.id, approvedVersionId: before.versionId },
    })
    expect(await ran()).toMatchObject({ version: 1 })
    const one = { id, versionId: waiting.id }
    const early = call(there.partnerAdmin, executions.execute, { ...one, deviceIds: [device] })
    expect(await refusal(early)).toMatchObject({ status: 409, message: 'Version 2 is not approved' })
    expect(await refusal(call(there.partnerAdmin, versions.approve, one))).toMatchObject({ status: 403 })
    const approved = await call(second, versions.approve, one)
    expect(approved).toMatchObject({ status: 'approved', judgedBy: second.userId, judgedAt: expect.any(String) })
    expect(await ran()).toMatchObject({ version: 2 })
    expect(await refusal(call(second, versions.approve, one))).toMatchObject({ status: 409 })
    expect((await auditOf(id)).at(-1)).toMatchObject({
      action: 'script.version.approve',
      details: { version: 2, createdBy: there.partnerAdmin.userId },
    })
  })

  it('is rejected by another person, or by its author', async () => {
    for (const who of [second, there.partnerAdmin]) {
      const { id: versionId } = await added('w')
      expect(await call(who, versions.reject, { id, versionId, reason: 'No' })).toMatchObject({ status: 'rejected' })
      expect(await refusal(call(second, versions.approve, { id, versionId }))).toMatchObject({ status: 409 })
    }
    expect((await call(second, scripts.get, { id })).version).toBe(4)
    expect(await ran()).toMatchObject({ version: 2 })
  })

  it('that is approved after a later one does not replace it', async () => {
    const [older, later] = [await added('date'), await added('date -u')]
    await call(second, versions.approve, { id, versionId: later.id })
    await call(second, versions.approve, { id, versionId: older.id })
    expect(await call(second, scripts.get, { id })).toMatchObject({ approvedVersionId: later.id })
  })

  it('of a new script leaves nothing to run until it is approved', async () => {
    const made = await call(there.partnerAdmin, scripts.create, { name: 'New', language: 'sh', content: 'id' })
    expect(made.approvedVersionId).toBeNull()
    const early = call(there.partnerAdmin, executions.execute, { id: made.id, deviceIds: [device] })
    expect(await refusal(early)).toMatchObject({ status: 409, message: 'No version of the script is approved' })
    await call(second, versions.approve, { id: made.id, versionId: made.versionId })
    expect(await call(second, scripts.get, { id: made.id })).toMatchObject({ approvedVersionId: made.versionId })
  })

  it('of an organization waits too', async () => {
    const made = await call(there.orgAdmin, scripts.create, { name: 'Own', language: 'sh', content: 'id' })
    expect(made.approvedVersionId).toBeNull()
  })
})
