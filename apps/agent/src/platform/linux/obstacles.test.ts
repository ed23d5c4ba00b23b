import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/test-agent.ts'
import { obstaclesOn } from './obstacles.ts'
import { scriptSystem } from './scripts.ts'
import type { Host } from './systemd.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let host: Host
beforeEach(async () => {
  folder = await temporaryFolder()
  host = { path: folder.path, systemdMark: join(folder.path, 'systemd') }
})
afterEach(() => folder[Symbol.asyncDispose]())

const install = (...programs: string[]) =>
  Promise.all(programs.map((name) => writeFile(join(folder.path, name), '#!/bin/sh\n', { mode: 0o755 })))
const lacks = (isRoot = true) => obstaclesOn(host, { ...scriptSystem, path: async () => folder.path }, isRoot)

test('a complete machine lacks only what Linux does not have', async () => {
  await install('systemctl', 'shutdown', 'bash', 'sh', 'zsh', 'python3', 'pwsh')
  await mkdir(host.systemdMark)
  const found = await lacks()
  expect(new Set(Object.values(found))).toEqual(new Set(['UNSUPPORTED_PLATFORM']))
  expect(Object.keys(found).filter((name) => !name.includes('registry'))).toEqual([
    ...['script:cmd', 'script:osascript'],
  ])
})

test('names what is not installed', async () => {
  await install('sh')
  const found = await lacks()
  for (const name of ['list_services', 'restart_service', 'reboot', 'script:python', 'script:bash'] as const)
    expect([name, found[name]]).toEqual([name, 'MISSING_TOOL'])
  expect(found['script:sh']).toBeUndefined()
  expect(found.list_tasks).toBeUndefined()
})

test('can shut down without systemd, and without the program by systemd', async () => {
  await install('shutdown')
  expect((await lacks()).shutdown).toBeUndefined()
  host = { ...host, path: join(folder.path, 'other') }
  await mkdir(host.path)
  await mkdir(host.systemdMark)
  expect((await lacks()).shutdown).toBe('MISSING_TOOL')
  await writeFile(join(host.path, 'systemctl'), '', { mode: 0o755 })
  expect((await lacks()).shutdown).toBeUndefined()
})

test('may change services and tasks only as root', async () => {
  await install('systemctl', 'shutdown')
  await mkdir(host.systemdMark)
  const found = await lacks(false)
  for (const name of ['reboot', 'stop_service', 'enable_task'] as const)
    expect([name, found[name]]).toEqual([name, 'NOT_PERMITTED'])
  for (const name of ['list_services', 'list_tasks', 'kill_process', 'run_script'] as const)
    expect([name, found[name]]).toEqual([name, undefined])
})
