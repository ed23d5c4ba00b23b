import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../testing/test-agent.ts'
import { unpackAddon } from './addon.ts'

const content = Buffer.from('the addon')

test('unpacks the addon once, and uses it again', async () => {
  await using folder = await temporaryFolder()
  const file = unpackAddon(content, folder.path)
  expect(await readFile(file)).toEqual(content)
  expect(unpackAddon(content, folder.path)).toBe(file)
  expect(unpackAddon(Buffer.from('a later addon'), folder.path)).not.toBe(file)
})

test.each(['', 'another addon', 'the addon and more'])('replaces an addon that was changed to %j', async (changed) => {
  await using folder = await temporaryFolder()
  const file = unpackAddon(content, folder.path)
  await writeFile(file, changed)
  expect(await readFile(unpackAddon(content, folder.path))).toEqual(content)
})

test('replaces an addon that was planted before the first start', async () => {
  await using folder = await temporaryFolder()
  await using other = await temporaryFolder()
  const place = unpackAddon(content, other.path).slice(other.path.length)
  await mkdir(join(folder.path, place, '..'), { recursive: true })
  await writeFile(join(folder.path, place), 'planted')
  expect(await readFile(unpackAddon(content, folder.path))).toEqual(content)
})

test('removes planted libraries, because Windows would search them for what the addon needs', async () => {
  await using folder = await temporaryFolder()
  const native = join(unpackAddon(content, folder.path), '..')
  for (const name of ['version.dll', 'node.exe']) await writeFile(join(native, name), 'planted')
  await mkdir(join(native, 'koffi.node.local'))
  // Another process unpacks at the same time.
  await writeFile(join(native, 'koffi.node.4711'), 'unfinished')
  unpackAddon(content, folder.path)
  expect((await readdir(native)).sort()).toEqual(['koffi.node', 'koffi.node.4711'])
})

test('refuses to start with an addon that cannot be replaced', async () => {
  await using folder = await temporaryFolder()
  const file = unpackAddon(content, folder.path)
  await rm(file)
  await mkdir(join(file, 'planted'), { recursive: true })
  expect(() => unpackAddon(content, folder.path)).toThrow()
})
