// Scripts of other users, with the accounts of this machine. Those that only root can start are skipped for other users.
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasEnded, temporaryFolder } from '../../testing/test-agent.ts'
import { endLeftovers, scriptSystem } from '../linux/scripts.ts'
import { inTerminal, usersOf } from '../linux/users.ts'
import type { ScriptStart } from '../platform.ts'
import { startInGroup } from './script-group.ts'
import { accountIn, otherAccountFor } from './user-account.ts'

const isRoot = process.getuid?.() === 0
const ofRoot = test.runIf(isRoot)
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let commandId: string
beforeEach(async () => {
  folder = await temporaryFolder()
  commandId = randomUUID()
})
afterEach(() => folder[Symbol.asyncDispose]())

const foldersLeft = async () => (await readdir(tmpdir())).filter((name) => name.includes(commandId))

async function started(script: string, more: Partial<ScriptStart> = {}) {
  const file = join(folder.path, 'script')
  await writeFile(file, script, { mode: 0o600 })
  const start = { commandId, language: 'sh' as const, file, args: ['a b'], environment: { GIVEN: 'secret' } }
  const running = await startInGroup({ ...start, runAs: 'user', workingDirectory: folder.path, ...more }, scriptSystem)
  if (running === undefined) throw new Error('sh is not installed')
  return running
}

describe('a script of another user', () => {
  ofRoot('has the account, the groups, the home and the variables of that user, and no others', async () => {
    const script = await started(
      'id -un; id -G; echo "$HOME $USER $1 $GIVEN"; env | cut -d= -f1 | sort | tr "\\n" " "',
      {
        runAsUser: 'daemon',
      },
    )
    const [name, groups, words, variables] = (await text(script.stdout)).trim().split('\n')
    expect(await script.ended).toEqual({ exitCode: 0, signal: null })
    expect(name).toBe('daemon')
    expect(groups?.split(' ').sort()).toEqual(
      execFileSync('id', ['-G', 'daemon'], { encoding: 'utf8' }).trim().split(' ').sort(),
    )
    expect(words).toBe(`${(await usersOf('').account('daemon'))?.home} daemon a b secret`)
    expect(variables).not.toMatch(/NODE|SUDO|MUSTER_ENROLLMENT/)
    await script.removeFiles?.()
    expect(await foldersLeft()).toEqual([])
  })

  ofRoot('cannot become root again, and other users cannot read it', async () => {
    const script = await started(
      'cat "$0" >/dev/null && echo readable; ls -ld "$0" | cut -c1-10; kill -0 1 2>&1; echo $?',
      {
        runAsUser: 'daemon',
        workingDirectory: '/',
      },
    )
    const lines = (await text(script.stdout)).trim().split('\n')
    expect(lines.slice(0, 2)).toEqual(['readable', '-r--------'])
    expect(lines.at(-1)).not.toBe('0')
    await script.removeFiles?.()
  })

  ofRoot('has its exit code, and the signal that ended it', async () => {
    const exit = await started('exit 7', { runAsUser: 'daemon', workingDirectory: '/' })
    expect(await exit.ended).toEqual({ exitCode: 7, signal: null })
    await exit.removeFiles?.()
    const signal = await started('kill -TERM $$; sleep 5', { runAsUser: 'daemon', workingDirectory: '/' })
    expect(await signal.ended).toEqual({ exitCode: 143, signal: 'SIGTERM' })
    await signal.removeFiles?.()
  })

  ofRoot('may end itself in its own time, and is killed with its group', async () => {
    const patient = await started('trap "echo asked; exit 3" TERM; echo up; while :; do sleep 0.1; done', {
      runAsUser: 'daemon',
      workingDirectory: '/',
    })
    await once(patient.stdout, 'data')
    patient.terminate()
    expect(await patient.ended).toEqual({ exitCode: 3, signal: null })
    await patient.removeFiles?.()
    const survivor = await started('trap "" TERM; sleep 60 & echo $!; wait', {
      runAsUser: 'daemon',
      workingDirectory: '/',
    })
    const [pid] = await once(survivor.stdout, 'data')
    survivor.terminate()
    survivor.kill()
    expect(await survivor.ended).toMatchObject({ signal: 'SIGKILL' })
    await hasEnded(String(pid).trim())
    await survivor.removeFiles?.()
    expect(await foldersLeft()).toEqual([])
  })

  ofRoot('leaves nothing when the agent was killed', async () => {
    const script = await started('echo $$; sleep 60', { runAsUser: 'daemon', workingDirectory: '/' })
    const [pid] = await once(script.stdout, 'data')
    expect(await foldersLeft()).toHaveLength(1)
    // As the next process of the agent does.
    await endLeftovers(new Set([commandId]))
    await hasEnded(String(pid).trim())
    expect(await foldersLeft()).toEqual([])
    await script.ended
  })

  ofRoot('does not reach the process between by its variables', async () => {
    const script = await started('echo "$NODE_OPTIONS"', {
      ...{ runAsUser: 'daemon', workingDirectory: '/' },
      environment: { NODE_OPTIONS: '--require=/nowhere.js', LD_PRELOAD: '' },
    })
    expect(await text(script.stdout)).toBe('--require=/nowhere.js\n')
    expect(await script.ended).toEqual({ exitCode: 0, signal: null })
    await script.removeFiles?.()
  })
})

test('a script of the own account runs without another process', async () => {
  const script = await started('id -un; pwd', { runAsUser: userInfo().username })
  expect((await text(script.stdout)).trim().split('\n')).toEqual([userInfo().username, folder.path])
  expect(script.removeFiles).toBeUndefined()
})

describe('the account of a script', () => {
  const ann = { name: 'ann', uid: 1000, gid: 1000, home: '/home/ann', shell: '/bin/sh' }
  const on = (signedIn: string | undefined) => ({
    account: async (name: string) => (name === 'ann' ? ann : undefined),
    signedIn: async () => signedIn,
  })

  test('is that of the agent unless it asks for a user', async () => {
    expect(await otherAccountFor({ runAs: 'system' }, on('ann'), 0)).toBeUndefined()
    expect(await otherAccountFor({}, on('ann'), 0)).toBeUndefined()
  })

  test('is the one it names, else that of the user who is signed in', async () => {
    expect(await otherAccountFor({ runAs: 'user', runAsUser: 'ann' }, on(undefined), 0)).toBe(ann)
    expect(await otherAccountFor({ runAs: 'user' }, on('ann'), 0)).toBe(ann)
  })

  test('is missing without a signed-in user, and when the machine does not have it', async () => {
    await expect(otherAccountFor({ runAs: 'user' }, on(undefined), 0)).rejects.toMatchObject({
      code: 'NO_USER_SESSION',
    })
    const named = otherAccountFor({ runAs: 'user', runAsUser: 'bob' }, on('ann'), 0)
    await expect(named).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('may be no other when the agent is an ordinary user', async () => {
    expect(await otherAccountFor({ runAs: 'user' }, on('ann'), 1000)).toBeUndefined()
    await expect(otherAccountFor({ runAs: 'user' }, on('ann'), 1001)).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
  })

  test('is found by its exact name', () => {
    expect(accountIn('ann:x:1000:1001:Ann,,,:/home/ann:/bin/zsh\n', 'ann')).toMatchObject({
      gid: 1001,
      home: '/home/ann',
    })
    expect(accountIn('ann:x:1000:1001::/home/ann:/bin/zsh', '1000')).toBeUndefined()
    expect(accountIn('+@netgroup:x:::::', '+@netgroup')).toBeUndefined()
  })
})

describe('the signed-in user of a Linux machine', () => {
  const session = (name: string, fields: Record<string, string>) =>
    writeFile(
      join(folder.path, name),
      Object.entries({ CLASS: 'user', STATE: 'active', ...fields })
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    )

  test('is the one at the screen before one over the network, and the newest of these', async () => {
    await session('1', { USER: 'bob', REALTIME: '3' })
    expect(await usersOf(folder.path).signedIn()).toBe('bob')
    await session('2', { USER: 'carol', REALTIME: '4' })
    expect(await usersOf(folder.path).signedIn()).toBe('carol')
    await session('3', { USER: 'ann', SEAT: 'seat0', REALTIME: '1' })
    expect(await usersOf(folder.path).signedIn()).toBe('ann')
  })

  test('is none who waits in the background, and no sign-in screen', async () => {
    await session('1', { USER: 'gdm', CLASS: 'greeter', SEAT: 'seat0' })
    await session('2', { USER: 'bob', STATE: 'closing' })
    await session('3', { USER: 'eve', CLASS: 'manager' })
    await mkdir(join(folder.path, '4.ref'))
    const found = await usersOf(folder.path).signedIn()
    expect(['gdm', 'bob', 'eve']).not.toContain(found)
  })

  test('is without systemd the one of the newest terminal', () => {
    expect(inTerminal('bob      tty1         2026-11-23 09:00\nann      pts/0        2026-11-23 10:00\n')).toBe('ann')
    expect(inTerminal('')).toBeUndefined()
  })
})

ofRoot('an agent of an ordinary user runs scripts as this user, and refuses another account', async () => {
  const module = new URL('./user-account.ts', import.meta.url).pathname
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `
    const { otherAccountFor } = await import(${JSON.stringify(module)})
    const { linuxUsers } = await import(${JSON.stringify(module.replace('posix/user-account', 'linux/users'))})
    const of = (runAsUser) => otherAccountFor({ runAs: 'user', runAsUser }, linuxUsers).then((account) => account ?? 'own', ({ code }) => code)
    console.log(await of('daemon'), await of('root'))
  `,
    ],
    { uid: (await usersOf('').account('daemon'))?.uid ?? -1, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  expect(await text(child.stdout)).toBe('own NOT_PERMITTED\n')
})
