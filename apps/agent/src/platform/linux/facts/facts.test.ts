// What Linux tells about files, its firewall and its encryption.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, rename, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileFact } from '@muster/wire/facts/facts.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../testing/test-agent.ts'
import { createTools } from '../linux-tools.ts'
import { closedFamilies, closesInput, firewallOf } from './firewall.ts'
import { requireLocal } from './local-path.ts'
import { createProtectionTools } from './protections.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

describe('a file', () => {
  const at = (name: string) => join(folder.path, name)
  const files = () => createTools([at('secret')]).files
  const observe = (path: string, more: Partial<FileFact> = {}) => files().observe({ type: 'file', path, ...more })
  const write = async (name: string, content: string) => {
    await writeFile(at(name), content)
    // Times of the past, so that the content counts as settled.
    await utimes(at(name), 1, 1)
    return at(name)
  }

  test('has its mode, owner and size, and what is asked about its content', async () => {
    const path = await write('app.conf', 'debug = on\nlevel = 3\n')
    await chmod(path, 0o640)
    const access = { type: 'file', kind: 'file', mode: '0640', owner: 'root', group: 'root', bytes: 21 }
    expect((await observe(path)).value).toEqual(access)
    expect((await observe(path, { contains: 'debug = on\n' })).value).toEqual({ ...access, contains: true })
    expect((await observe(path, { contains: 'debug = off' })).value).toEqual({ ...access, contains: false })
    expect((await observe(path, { setting: 'level' })).value).toEqual({ ...access, settings: ['3'] })
    const sha256 = createHash('sha256').update('debug = on\nlevel = 3\n').digest('hex')
    expect((await observe(path, { sha256: true })).value).toEqual({ ...access, sha256 })
  })

  test('is absent, with the entry whose creation would be noticed', async () => {
    expect(await observe(at('no'))).toMatchObject({
      value: { type: 'file', kind: 'absent' },
      entries: [{ folder: folder.path, name: 'no' }],
    })
    expect(await observe(at('deep/er/no'))).toMatchObject({
      value: { type: 'file', kind: 'absent' },
      entries: [{ folder: folder.path, name: 'deep' }],
    })
    const path = await write('file', 'x')
    expect((await observe(join(path, 'below'))).value).toEqual({ type: 'file', kind: 'absent' })
  })

  test('is found through links, all of which are watched', async () => {
    await mkdir(at('real'))
    await write('real/target', 'x')
    await symlink('real/target', at('link'))
    await symlink(at('link'), at('link-to-link'))
    const seen = await observe(at('link-to-link'), { contains: 'x' })
    expect(seen.value).toMatchObject({ kind: 'file', contains: true })
    expect(seen.entries).toEqual([
      { folder: folder.path, name: 'link-to-link' },
      { folder: folder.path, name: 'link' },
      { folder: at('real'), name: 'target' },
    ])
    await symlink(at('gone'), at('dangling'))
    expect((await observe(at('dangling'))).value.kind).toBe('absent')
  })

  test('is refused when links go in a circle', async () => {
    await symlink(at('b'), at('a'))
    await symlink(at('a'), at('b'))
    await expect(observe(at('a'))).rejects.toMatchObject({ code: 'DENIED' })
  })

  test.each(['/proc/kmsg', '/proc/self/environ', '/sys/kernel/notes', '/dev/zero', '/dev/null'])(
    'is refused at %s, also through a link',
    async (path) => {
      await symlink(path, at('innocent'))
      await expect(observe(path, { sha256: true })).rejects.toMatchObject({ code: 'DENIED' })
      await expect(observe(at('innocent'), { sha256: true })).rejects.toMatchObject({ code: 'DENIED' })
    },
  )

  test('is refused in the folder of the agent, also through a link', async () => {
    await mkdir(at('secret'))
    await write('secret/key', 'private')
    await symlink(at('secret'), at('open'))
    for (const path of [at('secret/key'), at('open/key'), `${folder.path}/secret/./key`])
      await expect(observe(path, { contains: 'private' })).rejects.toMatchObject({ code: 'DENIED' })
  })

  test('is not read when it is a pipe, a socket or a folder', async () => {
    execFileSync('mkfifo', [at('pipe')])
    await mkdir(at('folder'))
    expect((await observe(at('pipe'), { sha256: true })).value).toMatchObject({ kind: 'other' })
    expect((await observe(at('folder'), { contains: 'x' })).value).toMatchObject({ kind: 'folder' })
  })

  test('is not read when it is huge', async () => {
    const path = await write('sparse', '')
    await truncate(path, 2 ** 40)
    await expect(observe(path, { sha256: true })).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await expect(observe(path, { contains: 'x' })).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect((await observe(path)).value.bytes).toBe(2 ** 40)
  })

  test('is read again only after a change', async () => {
    const path = await write('app.conf', 'one')
    const fact: FileFact = { type: 'file', path, contains: 'one' }
    const first = await files().observe(fact)
    expect(first).toMatchObject({ value: { contains: true }, version: undefined })
    // Its change time, which no program can set, is recent.
    const settled = { ...first, version: versionOf(path) }
    const known = { ...settled, value: { ...settled.value, contains: false } }
    expect((await files().observe(fact, known)).value.contains).toBe(false)
    await write('new', 'two one')
    await rename(at('new'), path)
    expect((await files().observe(fact, known)).value.contains).toBe(true)
  })
})

/** As `observe` computes it: device, number, size, times of content and change. */
function versionOf(path: string): string {
  const [dev, ino, size, modified, changed] = execFileSync('stat', ['--format=%d %i %s %.9Y %.9Z', path])
    .toString()
    .trim()
    .split(' ')
  return [dev, ino, size, nanoseconds(modified), nanoseconds(changed)].join(' ')
}
const nanoseconds = (seconds = '') => BigInt(seconds.replace('.', '')).toString()

test('refuses file systems of the network, whose server may never answer', async () => {
  const mounts = async () => [
    { device: '/dev/sda1', mount: '/', fileSystem: 'ext4' },
    { device: 'nas:/home', mount: '/home', fileSystem: 'nfs4' },
    { device: '/dev/sdb1', mount: '/home/local', fileSystem: 'xfs' },
    { device: 'sshfs', mount: '/mnt/other', fileSystem: 'fuse.sshfs' },
  ]
  await expect(requireLocal('/home/ann', mounts)).rejects.toMatchObject({ code: 'DENIED' })
  await expect(requireLocal('/mnt/other', mounts)).rejects.toMatchObject({ code: 'DENIED' })
  await expect(requireLocal('/home/local/x', mounts)).resolves.toBeUndefined()
  await expect(requireLocal('/homes', mounts)).resolves.toBeUndefined()
})

describe('the firewall', () => {
  const chain = (family: string, policy: string, hook = 'input') => ({
    chain: { family, table: 't', name: 'c', type: 'filter', hook, prio: 0, policy },
  })
  const rule = (family: string, ...expr: Record<string, unknown>[]) => ({
    rule: { family, table: 't', chain: 'c', expr },
  })
  const match = { match: { op: '==', left: { meta: { key: 'iif' } }, right: 'lo' } }

  // The forms are those that nft 1.0.6 printed for such rules.
  test.each([
    ['a policy that drops', [chain('inet', 'drop')], ['IPv4', 'IPv6']],
    ['a policy that drops for one family', [chain('ip', 'drop')], ['IPv4']],
    ['a policy that drops what is forwarded', [chain('inet', 'drop', 'forward')], []],
    [
      'a last rule that rejects',
      [chain('inet', 'accept'), rule('inet', { counter: {} }, { reject: {} })],
      ['IPv4', 'IPv6'],
    ],
    [
      'a REJECT of iptables',
      [chain('ip6', 'accept'), rule('ip6', { counter: {} }, { xt: { type: 'target', name: 'REJECT' } })],
      ['IPv6'],
    ],
    ['a rule against single addresses', [chain('inet', 'accept'), rule('inet', match, { drop: null })], []],
    ['a rule against floods', [chain('inet', 'accept'), rule('inet', { limit: { rate: 5 } }, { drop: null })], []],
    ['an accepting rule', [chain('inet', 'accept'), rule('inet', { accept: null })], []],
  ])('with %s closes %j', (_words, nftables, families) => {
    expect([...closedFamilies({ nftables: nftables.map((entry) => JSON.parse(JSON.stringify(entry))) })]).toEqual(
      families,
    )
  })

  test.each([
    ['-P INPUT DROP\n', true],
    ['-P INPUT ACCEPT\n-A INPUT -i lo -j ACCEPT\n-A INPUT -j REJECT --reject-with icmp-port-unreachable\n', true],
    ['-P INPUT ACCEPT\n-A INPUT -s 10.0.0.1/32 -j DROP\n', false],
  ])('of iptables with %j is closed: %j', (text, isClosed) => {
    expect(closesInput(text)).toBe(isClosed)
  })

  const machine = async (programs: Record<string, string>) => {
    for (const [name, script] of Object.entries(programs))
      await writeFile(join(folder.path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return { path: `${folder.path}:/bin`, systemdMark: folder.path }
  }

  test('is off on a machine without one', async () => {
    expect(await firewallOf(await machine({}), true)).toEqual({
      ...{ type: 'firewall', on: false, detail: 'no firewall is installed' },
    })
    const host = await machine({ nft: `echo '{"nftables": []}'` })
    expect(await firewallOf(host, true)).toMatchObject({ on: false, detail: 'no rule refuses connections' })
  })

  test('is on when all families that the machine uses are closed', async () => {
    const ruleset = JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, chain('ip', 'drop')] })
    const host = await machine({ nft: `echo '${ruleset}'` })
    expect(await firewallOf(host, false)).toEqual({ type: 'firewall', on: true, product: 'nftables' })
    expect(await firewallOf(host, true)).toMatchObject({ on: false, detail: 'IPv6 is open' })
  })

  test('is unknown to an agent without the permission to ask', async () => {
    const host = await machine({ nft: 'echo "Operation not permitted (you must be root)" >&2; exit 1' })
    await expect(firewallOf(host, false)).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
  })

  test('and encryption come from this machine without an error of the agent', async () => {
    const { firewall, encryption } = createTools([]).protections
    for (const asked of [firewall(), encryption()])
      await asked.catch((error: unknown) => expect(error).toMatchObject({ name: 'ToolFailure' }))
  })
})

describe('encryption', () => {
  const lsblk = async (output: unknown) => {
    await writeFile(join(folder.path, 'lsblk'), `#!/bin/sh\necho '${JSON.stringify(output)}'\n`, { mode: 0o755 })
    await writeFile(join(folder.path, 'zfs'), '#!/bin/sh\necho aes-256-gcm\n', { mode: 0o755 })
    return { path: `${folder.path}:/bin`, systemdMark: folder.path }
  }
  const root = (device: string, fileSystem: string) => async () => [{ device, mount: '/', fileSystem }]
  const layers = (...types: string[]) => ({
    blockdevices: [
      types.reduceRight<{ name: string; type: string; children?: unknown[] } | undefined>(
        (below, type) => ({ name: type, type, ...(below && { children: [below] }) }),
        undefined,
      ),
    ],
  })

  test.each([
    [['lvm', 'crypt', 'part', 'disk'], 'on'],
    [['lvm', 'part', 'disk'], 'off'],
  ])('of a volume on %j is %s', async (types, state) => {
    const tools = createProtectionTools(await lsblk(layers(...types)), root('/dev/mapper/root', 'ext4'))
    expect(await tools.encryption()).toMatchObject({ type: 'encryption', state })
  })

  test('of ZFS is its own', async () => {
    const tools = createProtectionTools(await lsblk({}), root('rpool/ROOT/debian', 'zfs'))
    expect(await tools.encryption()).toEqual({ type: 'encryption', state: 'on', product: 'ZFS' })
  })

  test('is unknown in a container', async () => {
    const tools = createProtectionTools(await lsblk({}), root('overlay', 'overlay'))
    await expect(tools.encryption()).rejects.toMatchObject({ code: 'UNSUPPORTED_PLATFORM' })
  })
})
