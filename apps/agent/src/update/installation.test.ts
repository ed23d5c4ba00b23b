import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../testing/test-agent.ts'
import { Installation } from './installation.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

test('names the related files of an executable before its ending', () => {
  expect(new Installation('/opt/muster-agent').previous).toBe('/opt/muster-agent.previous')
  const windows = new Installation('C:\\Muster\\muster-agent.exe')
  expect([windows.previous, windows.watchdog]).toEqual([
    'C:\\Muster\\muster-agent.previous.exe',
    'C:\\Muster\\muster-agent.watchdog.exe',
  ])
  for (const name of ['muster-agent.exe', 'muster-agent.watchdog.exe', 'muster-agent.previous.exe'])
    expect(Installation.ofProcess(`C:\\Muster\\${name}`).current).toBe('C:\\Muster\\muster-agent.exe')
})

test('restores an executable whose replacement was interrupted, and removes what was moved aside', async () => {
  const installation = new Installation(join(folder.path, 'muster-agent.exe'))
  await writeFile(installation.current, 'one')
  await installation.backUp()
  // As after the first of the two renames that a system needs for a running executable.
  await rm(installation.current)
  await writeFile(join(folder.path, '.muster-replaced-0123456789ab'), 'one')
  await mkdir(join(folder.path, 'native-0123'))
  await installation.recover()
  expect(await readFile(installation.current, 'utf8')).toBe('one')
  expect((await readdir(folder.path)).sort()).toEqual(['muster-agent.exe', 'muster-agent.previous.exe', 'native-0123'])
})

test('backs up again after an interruption and after a first attempt', async () => {
  const installation = new Installation(join(folder.path, 'muster-agent'))
  await writeFile(installation.current, 'one')
  await writeFile(`${installation.previous}.link`, 'of an interrupted attempt')
  await installation.backUp()
  await installation.backUp()
  expect(await readFile(installation.previous, 'utf8')).toBe('one')
  expect((await readdir(folder.path)).sort()).toEqual(['muster-agent', 'muster-agent.previous'])
  await writeFile(`${installation.previous}.link`, 'left')
  await installation.recover()
  expect(await readdir(folder.path)).toHaveLength(2)
})
