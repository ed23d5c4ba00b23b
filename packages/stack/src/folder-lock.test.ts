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

test('lets one process hold a folder until it is released', () => {
  const unlock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(`in use by another Muster launcher (process ${process.pid})`)
  unlock()
  lockFolder(folder)()
  expect(readdirSync(folder)).toEqual([])
})

test('takes over a lock whose holder ended', () => {
  const { pid } = spawnSync('true')
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify({ pid, startedAt: '1' }))
  lockFolder(folder)()
})

test('takes over a lock whose PID now belongs to another process', () => {
  writeFileSync(join(folder, 'launcher.lock'), JSON.stringify({ ...identify(process.pid), startedAt: '1' }))
  lockFolder(folder)()
})

test('takes over an unreadable lock, as after a full disk', () => {
  writeFileSync(join(folder, 'launcher.lock'), '')
  lockFolder(folder)()
})
