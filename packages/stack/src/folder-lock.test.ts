import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFolder } from './folder-lock.ts'
import { identify } from './process-id.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a folder is held by one, until it lets go', () => {
  const unlock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(`in use by another Muster launcher (process ${process.pid})`)
  unlock()
  lockFolder(folder)()
  expect(readdirSync(folder)).toEqual([])
})

test('a lock whose holder is gone is taken over', () => {
  const { pid } = spawnSync('true')
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify({ pid, startedAt: '1' }))
  lockFolder(folder)()
})

test('a lock of a process that has only the same number as a living one is taken over', () => {
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify({ ...identify(process.pid), startedAt: '1' }))
  lockFolder(folder)()
})

test('a lock that cannot be read, as after a full disk, is taken over', () => {
  writeFileSync(join(folder, 'launcher.lock'), '')
  lockFolder(folder)()
})
