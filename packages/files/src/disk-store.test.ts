import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canMount, SmallDisk } from '@muster/testkit/small-disk.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { DiskStore } from './disk-store.ts'
import { readSmall } from './object-store.ts'

const scratch = mkdtempSync(join(tmpdir(), 'muster-disk-store-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const bytesMax = 50_000_000
async function* body(...pieces: (string | Buffer)[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}

describe('a store on a disk', () => {
  it.runIf(canMount)('reports a full disk, keeps its objects and leaves no partial file', async () => {
    const disk = SmallDisk.mount(4)
    try {
      const store = new DiskStore(join(disk.path, 'store'))
      await store.put('kept', body('kept'), { bytesMax })
      const full = store.put('large', body(Buffer.alloc(3_000_000), Buffer.alloc(3_000_000)), { bytesMax })
      await expect(full).rejects.toMatchObject({ problem: 'no_space' })
      expect(await store.size('large')).toBeNull()
      expect(readdirSync(join(disk.path, 'store', '.unfinished'))).toEqual([])
      expect(String(await readSmall(store, 'kept'))).toBe('kept')
      disk.fill(join(disk.path, 'filler'))
      await expect(store.put('next', body(Buffer.alloc(100_000)), { bytesMax })).rejects.toMatchObject({
        problem: 'no_space',
      })
      rmSync(join(disk.path, 'filler'))
      await store.put('next', body(Buffer.alloc(100_000)), { bytesMax })
      expect(await store.size('next')).toBe(100_000)
    } finally {
      disk.unmount()
    }
  })

  it('removes the partial files of killed writers, and no newer ones', async () => {
    const folder = join(scratch, 'killed')
    const store = new DiskStore(folder)
    await store.put('whole', body('whole'), { bytesMax })
    const unfinished = join(folder, '.unfinished')
    for (const name of ['old', 'new']) writeFileSync(join(unfinished, name), 'half')
    utimesSync(join(unfinished, 'old'), new Date(0), new Date(0))
    expect(await store.removeUnfinished(new Date(Date.now() - 60_000))).toBe(1)
    expect(readdirSync(unfinished)).toEqual(['new'])
    expect(await store.size('whole')).toBe(5)
  })

  it('stores an object while another process repeatedly removes its folder', async () => {
    const store = new DiskStore(join(scratch, 'folders'))
    const putAndRemove = async (key: string) => {
      for (let turn = 0; turn < 100; turn += 1) {
        await store.put(key, body('x'), { bytesMax })
        expect(statSync(join(scratch, 'folders', key)).size).toBe(1)
        await store.remove(key)
      }
    }
    await Promise.all(['a/b/1', 'a/b/2', 'a/3'].map(putAndRemove))
  })
})
