import { systemScripts as library } from '@muster/script-library/system-scripts.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { executions } from '../executions/executions.contract.ts'
import { faultOfDefinition } from '../parameters.ts'
import { scripts } from '../scripts.contract.ts'
import { systemScripts } from './system-scripts.contract.ts'
import { writeSystemScripts } from './written-library.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const ofKey = (key: string) => {
  const found = library().find((each) => each.key === key)
  if (found === undefined) throw new Error(`the library has no ${key}`)
  return found
}
const disk = ofKey('linux/disk-usage')
const withVersion = (version: number) =>
  system.query('UPDATE system_scripts SET version = $2 WHERE id = $1', [disk.id, version])
beforeAll(() => writeSystemScripts(system))

describe('the library in the database', () => {
  it('is written once, with what changed since', async () => {
    expect(await writeSystemScripts(system)).toEqual([])
    const gone = ofKey('linux/raid-health')
    await system.query('DELETE FROM system_scripts WHERE id = $1', [gone.id])
    await system.query(`UPDATE system_scripts SET content = 'true' WHERE id = $1`, [disk.id])
    await system.query(
      `INSERT INTO system_scripts SELECT (r).* FROM (SELECT jsonb_populate_record(s, '{"id": "00000000-0000-4000-8000-00000000000a", "key": "linux/old"}') AS r
        FROM system_scripts s WHERE id = $1) copied`,
      [disk.id],
    )
    const changes = [
      { key: 'linux/disk-usage', change: 'updated' },
      { key: 'linux/old', change: 'removed' },
      { key: 'linux/raid-health', change: 'added' },
    ]
    expect(await writeSystemScripts(system, { dryRun: true })).toEqual(changes)
    expect(await writeSystemScripts(system)).toEqual(changes)
    expect(await writeSystemScripts(system)).toEqual([])
    const { rows } = await system.query('SELECT content FROM system_scripts WHERE id = $1', [disk.id])
    expect(rows).toEqual([{ content: disk.content }])
  })

  it('is not changed by requests', async () => {
    const { people } = await testServices()
    await expect(people.query(`UPDATE system_scripts SET content = 'x'`)).rejects.toThrow('permission denied')
  })

  it('has parameters that scripts of tenants can have', async () => {
    const { data } = await call(here.orgAdmin, systemScripts.list, {})
    const faults = data.flatMap(({ key, parameters }) => parameters.map((each) => [key, faultOfDefinition(each)]))
    expect(faults.filter(([, fault]) => fault !== null)).toEqual([])
  })
})

describe('a system script', () => {
  it('is listed with its key and category, and among scripts by its source alone', async () => {
    const { data, pagination } = await call(here.orgAdmin, systemScripts.list, { language: 'python' })
    expect(pagination.total).toBe(library().filter(({ language }) => language === 'python').length)
    expect(new Set(data.map(({ source, partnerId, imported }) => `${source} ${partnerId} ${imported}`))).toEqual(
      new Set(['system null null']),
    )
    const own = await call(here.orgAdmin, scripts.list, {})
    expect(own.data.filter(({ source }) => source === 'system')).toEqual([])
    const listed = await call(here.orgAdmin, scripts.list, { source: 'system', search: 'disk usage', osType: 'linux' })
    expect(listed.data.map(({ id }) => id)).toEqual([disk.id])
  })

  it('is shown with its content', async () => {
    expect(await call(here.orgAdmin, scripts.get, { id: disk.id })).toMatchObject({
      ...{ id: disk.id, source: 'system', partnerId: null, versionId: null, content: disk.content },
      ...{ sha256: disk.sha256, version: disk.version, usedBy: [], warnings: [] },
    })
  })

  it('is neither changed nor run', async () => {
    const { id } = disk
    const denied = { status: 403 }
    expect(await refusal(call(here.systemAdmin, scripts.update, { id, name: 'Mine' }))).toMatchObject(denied)
    expect(await refusal(call(here.systemAdmin, scripts.remove, { id }))).toMatchObject(denied)
    expect(await refusal(call(here.orgAdmin, executions.execute, { id, orgIds: [orgId] }))).toMatchObject(denied)
  })
})

describe('an import', () => {
  it('copies a system script once for each owner', async () => {
    const made = await call(here.orgAdmin, systemScripts.import, { id: disk.id })
    const origin = { systemScriptId: disk.id, version: disk.version }
    expect(made).toMatchObject({
      ...{ orgId, source: 'organization', version: 1, content: disk.content, sha256: disk.sha256 },
      ...{ name: disk.name, tags: disk.tags, exitCodes: disk.exitCodes, origin, updateAvailable: false },
    })
    const again = call(here.orgAdmin, systemScripts.import, { id: disk.id })
    expect(await refusal(again)).toMatchObject({ status: 409, extra: { scriptId: made.id } })
    const wide = await call(here.partnerAdmin, systemScripts.import, { id: disk.id })
    expect(wide).toMatchObject({ orgId: null, source: 'partner' })
    const { data } = await call(here.orgAdmin, systemScripts.list, { search: disk.name, osType: 'linux' })
    expect(data).toMatchObject([{ imported: { scriptId: made.id, version: disk.version, updateAvailable: false } }])
    const [record] = await auditOf(made.id)
    expect(record).toMatchObject({ action: 'script.import', details: { key: disk.key } })
  })

  it('of an updated script adds a version, and keeps what people changed of the rest', async () => {
    const { data } = await call(here.orgAdmin, scripts.list, { search: disk.name, source: 'organization' })
    const id = data[0]?.id ?? ''
    await call(here.orgAdmin, scripts.update, { id, name: 'Our disks', content: 'df', exitCodes: { 2: 'critical' } })
    await withVersion(disk.version + 1)
    expect(await call(here.orgAdmin, scripts.get, { id })).toMatchObject({ updateAvailable: true })
    const after = await call(here.orgAdmin, systemScripts.import, { id: disk.id, update: true })
    expect(after).toMatchObject({
      ...{ id, name: 'Our disks', version: 3, content: disk.content, exitCodes: { 2: 'critical' } },
      ...{ origin: { version: disk.version + 1 }, updateAvailable: false },
    })
    const [, , record] = await auditOf(id)
    expect(record).toMatchObject({ action: 'script.import', changed_fields: expect.arrayContaining(['version']) })
    await writeSystemScripts(system)
  })

  it('takes place again after the copy was deleted', async () => {
    const { id } = ofKey('python/file-baseline')
    const first = await call(here.orgAdmin, systemScripts.import, { id })
    await call(here.orgAdmin, scripts.remove, { id: first.id })
    expect(await call(here.orgAdmin, systemScripts.import, { id })).toMatchObject({ version: 1 })
  })

  it('at the same time makes one copy', async () => {
    const { id } = ofKey('python/time-offset')
    const both = await Promise.allSettled([1, 2].map(() => call(here.orgAdmin, systemScripts.import, { id })))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('of a script that does not exist is refused', async () => {
    const { id } = await call(here.orgAdmin, scripts.create, { name: 'Own', language: 'sh', content: 'id' })
    expect(await refusal(call(here.orgAdmin, systemScripts.import, { id }))).toMatchObject({ status: 404 })
  })
})
