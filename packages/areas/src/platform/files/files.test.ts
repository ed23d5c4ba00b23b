import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asCaller, asSystem, type Db } from '@muster/db/database.ts'
import { DiskStore } from '@muster/files/disk-store.ts'
import { type ObjectStore, readSmall } from '@muster/files/object-store.ts'
import { StagedUpload } from '@muster/files/staged-upload.ts'
import { requestAs } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { authenticate } from '../../access/auth/sessions/authenticate.ts'
import { sweepFiles } from './files.jobs.ts'
import { addPending } from './files.queries.ts'
import { deleteFiles, keepFile, readyFile, storeFile } from './index.ts'

const scratch = mkdtempSync(join(tmpdir(), 'muster-file-rows-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const store = new DiskStore(scratch)
const services = { ...(await testServices()), files: store }
const here = await world()
const limits = { bytesMax: 1_000 }
async function* body(...pieces: string[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}

const as = async (who: Person) => {
  const caller = await authenticate(services, requestAs(who))
  if (caller === null) throw new Error('the caller could not be authenticated')
  return <T>(work: (db: Db) => Promise<T>) => asCaller(services.people, caller, 'write', work)
}
const mine = { partnerId: here.partner.id, orgId: here.org.id, purpose: 'report', name: 'a.csv', createdBy: null }
const orgAdmin = await as(here.orgAdmin)
const sweep = (nowMs?: number, from: ObjectStore = store) => sweepFiles(services.system, from, services.log, nowMs)
const rowOf = (id: string) =>
  asSystem(services.system, (db) => db.selectFrom('files').select('state').where('id', '=', id).executeTakeFirst())

async function stored(text: string, expiresAt: string | null = null) {
  const file = await storeFile(services, orgAdmin, mine, body(text), limits)
  await orgAdmin((db) => keepFile(db, file.id, expiresAt))
  return file
}

describe('a file', () => {
  it('is visible after it is kept, to callers who reach its tenant', async () => {
    const file = await storeFile(services, orgAdmin, mine, body('abc', 'de'), limits)
    expect(await orgAdmin((db) => readyFile(db, file.id))).toBeNull()
    await orgAdmin((db) => keepFile(db, file.id, null))
    expect(await orgAdmin((db) => readyFile(db, file.id))).toMatchObject({
      name: 'a.csv',
      size: 5,
      sha256: file.sha256,
    })
    expect(String(await readSmall(store, file.storageKey))).toBe('abcde')

    const other = await person(
      { scope: 'organization', partnerId: here.partner.id, orgId: here.otherOrg.id },
      { role: 'Org Admin' },
    )
    const stranger = await world()
    for (const [who, sees] of [
      [here.partnerAdmin, true],
      [here.systemAdmin, true],
      [other, false],
      [stranger.partnerAdmin, false],
    ] as const)
      expect((await (await as(who))((db) => readyFile(db, file.id))) !== null).toBe(sees)
    await (await as(other))((db) => deleteFiles(db, [file.id]))
    expect(await rowOf(file.id)).toEqual({ state: 'ready' })
  })

  it('of a partner or of the installation is out of reach of organizations', async () => {
    const partner = await as(here.partnerAdmin)
    const whole = await storeFile(services, partner, { ...mine, orgId: null }, body('p'), limits)
    await partner((db) => keepFile(db, whole.id, null))
    expect(await orgAdmin((db) => readyFile(db, whole.id))).toBeNull()
    const system = await as(here.systemAdmin)
    const own = await storeFile(services, system, { ...mine, partnerId: null, orgId: null }, body('s'), limits)
    await system((db) => keepFile(db, own.id, null))
    expect(await partner((db) => readyFile(db, own.id))).toBeNull()
    await expect(storeFile(services, orgAdmin, { ...mine, orgId: null }, body('x'), limits)).rejects.toThrow('security')
    await expect(
      storeFile(services, orgAdmin, { ...mine, orgId: here.otherOrg.id }, body('x'), limits),
    ).rejects.toThrow('security')
  })

  it('that is rejected leaves neither an object nor a visible row', async () => {
    const refused = storeFile(services, orgAdmin, { ...mine, purpose: 'refused' }, body('abc'), { ...limits, size: 4 })
    await expect(refused).rejects.toMatchObject({ status: 400 })
    const large = storeFile(services, orgAdmin, { ...mine, purpose: 'refused' }, body('abc'), { bytesMax: 2 })
    await expect(large).rejects.toMatchObject({ status: 413 })
    const rows = await asSystem(services.system, (db) =>
      db.selectFrom('files').select(['state', 'storageKey']).where('purpose', '=', 'refused').execute(),
    )
    expect(rows.map(({ state }) => state)).toEqual(['deleted', 'deleted'])
    for (const { storageKey } of rows) expect(await store.size(storageKey)).toBeNull()
  })

  it('requires a configured file storage', async () => {
    const parts = { ...services, files: null }
    await expect(storeFile(parts, orgAdmin, mine, body('abc'), limits)).rejects.toMatchObject({ status: 503 })
  })
})

describe('the sweep', () => {
  it('removes deleted and expired files and keeps the others', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString()
    const [kept, deleted, expiring] = [await stored('kept'), await stored('deleted'), await stored('expiring', soon)]
    await orgAdmin((db) => deleteFiles(db, [deleted.id]))
    expect(await orgAdmin((db) => readyFile(db, deleted.id))).toBeNull()
    await sweep()
    expect([await rowOf(deleted.id), await store.size(deleted.storageKey)]).toEqual([undefined, null])
    expect(await rowOf(expiring.id)).toEqual({ state: 'ready' })
    await sweep(Date.now() + 120_000)
    expect([await rowOf(expiring.id), await store.size(expiring.storageKey)]).toEqual([undefined, null])
    expect([await rowOf(kept.id), await store.size(kept.storageKey)]).toEqual([{ state: 'ready' }, 4])
    expect(await sweep(Date.now() + 120_000)).toBe(0)
  })

  it('removes the parts of an unfinished upload', async () => {
    const pending = await orgAdmin((db) => addPending(db, mine))
    const upload = new StagedUpload(store, pending.id)
    await upload.append(0, body('abc'), limits)
    await sweep()
    expect(await upload.receivedBytes()).toBe(3)
    await sweep(Date.now() + 25 * 3_600_000)
    expect([await rowOf(pending.id), await upload.receivedBytes()]).toEqual([undefined, 0])
  })

  it('retries an object that could not be removed, after the other files', async () => {
    const [stuck, free] = [await stored('stuck'), await stored('free')]
    await orgAdmin((db) => deleteFiles(db, [stuck.id, free.id]))
    const failing = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (name !== 'remove') return typeof value === 'function' ? value.bind(target) : value
        return (key: string) => {
          if (key === stuck.storageKey) throw new Error('the disk is read-only')
          return target.remove(key)
        }
      },
    })
    expect(await sweep(undefined, failing)).toBe(1)
    expect([await rowOf(stuck.id), await rowOf(free.id)]).toEqual([{ state: 'deleted' }, undefined])
    expect(await sweep()).toBe(1)
    expect(await rowOf(stuck.id)).toBeUndefined()
  })

  it('ends an upload that expires while its body arrives, and leaves nothing', async () => {
    let key = ''
    async function* slow() {
      yield Buffer.from('abc')
      const row = await asSystem(services.system, (db) =>
        db
          .updateTable('files')
          .set({ expiresAt: sql`now() - interval '1 minute'` })
          .where('purpose', '=', 'slow')
          .returning('storageKey')
          .executeTakeFirstOrThrow(),
      )
      key = row.storageKey
      await sweep()
    }
    const late = storeFile(services, orgAdmin, { ...mine, purpose: 'slow' }, slow(), limits)
    await expect(late).rejects.toMatchObject({ status: 409, message: expect.stringContaining('expired') })
    expect(await store.size(key)).toBeNull()
  })
})
