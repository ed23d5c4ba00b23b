import { execFile, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asSystem } from '@muster/db/database.ts'
import { createPool } from '@muster/db/pool.ts'
import { DiskStore } from '@muster/files/disk-store.ts'
import { opened } from '@muster/kit/body/raw-body.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import { call } from '@muster/testkit/call.ts'
import { debianPackages } from '@muster/testkit/debian.ts'
import { testServices } from '@muster/testkit/services.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../../../runtime.ts'
import { distribution } from '../distribution.contract.ts'
import { publishedIn, register } from '../registration.ts'

const scratch = mkdtempSync(join(tmpdir(), 'muster-install-'))
// A database of its own: what a store has registered is one for the whole installation.
const database = await ownDatabase()
const system = createPool({ url: database.systemUrl, name: 'install', max: 2 })
const services = { ...(await testServices()), system }
const store = new DiskStore(join(scratch, 'releases'))
const version = '700000.1.0'
const agent = '#!/bin/sh\necho the agent\n'
/** A version whose executable is for some other machine. */
const foreign = '700000.0.9'
/** The same bytes for every system that the script knows. */
const onEach = (version: string, bytes: Buffer) =>
  (['linux', 'darwin'] as const).flatMap((os) =>
    (['x64', 'arm64'] as const).map((arch) => ({ version, os, arch, bytes })),
  )
/** What the server says instead of the truth. */
const lies = new Map<string, string | Buffer>()
/** Where an answer breaks off. */
const cuts = new Set<string>()
/** What was asked for through it as a proxy. */
const forwarded: string[] = []

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '', 'http://x')
  const lie = lies.get(url.pathname)
  if (url.host === 'muster.test') forwarded.push(url.pathname)
  if (lie !== undefined) return response.end(lie)
  if (cuts.has(url.pathname))
    return void response.writeHead(200, { 'content-length': 100 }).write('#!', () => response.destroy())
  const [, os = '', arch = ''] = /\/agents\/download\/(\w+)\/(\w+)$/.exec(url.pathname) ?? []
  const [, of = '', name = ''] = /\/targets\/([^/]+)\/(SHA256SUMS(?:\.sig)?)$/.exec(url.pathname) ?? []
  const wanted = url.searchParams.get('version') ?? undefined
  const calling =
    name === 'SHA256SUMS' || name === 'SHA256SUMS.sig'
      ? call(null, distribution.checksums, { version: of, name }, { runtime })
      : call(null, distribution.download, { os, arch, version: wanted }, { runtime })
  try {
    const body = await opened(((await calling) as RawAnswer).body)
    if (typeof body === 'string' || body instanceof Uint8Array) response.write(body)
    else for await (const piece of body) response.write(piece)
    response.end()
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const releases = { source: 'local', upstreamUrl: null, upstreamToken: null, allowedNetworks: [] } as const
const runtime = createRuntime({ ...services, releases: store, settings: { ...services.settings, publicUrl, releases } })
afterAll(async () => {
  server.close()
  rmSync(scratch, { recursive: true })
  await system.end()
  await database.drop()
})

const [key, otherKey] = [createReleaseKey(), createReleaseKey()]
let script = ''
beforeAll(async () => {
  const repository = new Repository(store)
  const online = createReleaseKey()
  await repository.begin({ release: [key], threshold: 1, online })
  const bytes = Buffer.from(agent)
  await repository.add(onEach(version, bytes), [key])
  const other = Buffer.from('#!/nowhere/interpreter\n')
  await repository.add(onEach(foreign, other), [key])
  await repository.renew(online)
  const published = await publishedIn(store)
  await asSystem(services.system, (db) => register(db, published))
  const answer = (await call(null, distribution.installScript, {}, { runtime })) as RawAnswer
  script = join(scratch, 'install.sh')
  writeFileSync(script, answer.body as Uint8Array)
})

const PATH = '/usr/bin:/bin:/usr/sbin:/sbin'
/** Not synchronously: the server that it asks runs in this very process. */
const runGiven = (input: string, env: Readonly<Record<string, string>>, ...args: string[]) =>
  new Promise<{ status: number; text: string }>((resolve) => {
    const child = execFile('sh', [script, ...args], { env: { PATH, ...env } }, (error, out, err) =>
      resolve({ status: error === null ? 0 : Number(error.code), text: out + err }),
    )
    // A script that refuses before it reads closes its end.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
const runWith = (env: Readonly<Record<string, string>>, ...args: string[]) => runGiven('KEY-1\n', env, ...args)
const run = (...args: string[]) => runWith({ https_proxy: 'http://proxy:1' }, ...args)
const newRoot = () => mkdtempSync(join(scratch, 'root-'))
const program = (root: string) => join(root, 'opt/muster/muster-agent')
const chosen = ['--version', version]

describe('the install script', () => {
  it('is clean in the eyes of shellcheck', { timeout: 600_000 }, async () => {
    await debianPackages('/usr/bin/shellcheck', 'shellcheck')
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', script], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })

  it('installs under another root what is signed, and running it again does no harm', async () => {
    const root = newRoot()
    expect(await run(...chosen, '--root', root)).toMatchObject({
      status: 0,
      text: expect.stringContaining('is installed'),
    })
    expect(readFileSync(program(root), 'utf8')).toBe(agent)
    expect(statSync(program(root)).mode & 0o777).toBe(0o755)
    const settings = join(root, 'etc/muster/agent.env')
    expect(statSync(settings).mode & 0o777).toBe(0o600)
    expect(readFileSync(settings, 'utf8')).toBe('https_proxy="http://proxy:1"\n')
    const keyFile = join(root, 'var/lib/muster-agent/enrollment.key')
    expect(readFileSync(keyFile, 'utf8')).toBe('KEY-1\n')
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    expect(statSync(join(root, 'var/lib/muster-agent')).mode & 0o777).toBe(0o700)
    const unit = readFileSync(join(root, 'etc/systemd/system/muster-agent.service'), 'utf8')
    expect(unit).toContain(`muster-agent.watchdog watchdog --server ${publicUrl} `)
    // As curl did that fetched this script: a server with an authority of the house is reached by both or by neither.
    expect(unit).toContain('\nEnvironment=NODE_USE_SYSTEM_CA=1\n')
    expect((await run(...chosen, '--root', root)).text).toContain('is there already')
    writeFileSync(program(root), 'something else')
    expect(await run(...chosen, '--root', root)).toMatchObject({ status: 0 })
    expect(readFileSync(program(root), 'utf8')).toBe(agent)
  })

  it('takes everything away again, the identity only when it is asked to', async () => {
    const root = newRoot()
    await run(...chosen, '--root', root)
    writeFileSync(join(root, 'var/lib/muster-agent/identity.key'), 'key')
    expect(await run('--purge', '--root', root)).toMatchObject({
      status: 1,
      text: expect.stringContaining('--purge needs --uninstall'),
    })
    expect(await run('--uninstall', '--root', root)).toMatchObject({ status: 0 })
    expect(existsSync(program(root))).toBe(false)
    expect(existsSync(join(root, 'etc/muster/agent.env'))).toBe(false)
    expect(existsSync(join(root, 'var/lib/muster-agent/identity.key'))).toBe(true)
    expect(await run('--uninstall', '--purge', '--root', root)).toMatchObject({ status: 0 })
    expect(existsSync(join(root, 'var/lib/muster-agent'))).toBe(false)
  })

  describe('on a Mac', () => {
    /** Programs that answer as on a Mac with this processor and this signature of the agent. */
    const onMac = (machine: string, signature: string) => {
      const folder = mkdtempSync(join(scratch, 'mac-'))
      const programs = {
        uname: `case $1 in -s) echo Darwin;; *) echo ${machine};; esac`,
        codesign: `echo "${signature}" >&2`,
        sysctl: 'exit 1',
        xattr: 'echo "No such xattr" >&2; exit 1',
      }
      for (const [name, body] of Object.entries(programs))
        writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
      return { PATH: `${folder}:${PATH}`, https_proxy: 'http://ann:a&b<c@proxy:1' }
    }
    const data = 'Library/Application Support/Muster Agent'
    const daemon = 'Library/LaunchDaemons/com.muster.agent.plist'

    it('installs a daemon of launchd, whose settings only root reads', async () => {
      const root = newRoot()
      const told = await runWith(onMac('arm64', 'Signature=adhoc'), ...chosen, '--root', root)
      expect(told).toMatchObject({ status: 0, text: expect.stringContaining('no signature of a developer') })
      expect(readFileSync(program(root), 'utf8')).toBe(agent)
      expect(readFileSync(join(root, data, 'enrollment.key'), 'utf8')).toBe('KEY-1\n')
      expect(statSync(join(root, data)).mode & 0o777).toBe(0o700)
      expect(statSync(join(root, daemon)).mode & 0o777).toBe(0o600)
      const plist = readFileSync(join(root, daemon), 'utf8')
      expect(plist).toContain('<string>/opt/muster/muster-agent.watchdog</string>')
      expect(plist).toContain(`<string>--server</string><string>${publicUrl}</string>`)
      expect(plist).toContain(`<string>--data-dir</string><string>/${data}</string>`)
      expect(plist).toContain('<key>https_proxy</key><string>http://ann:a&amp;b&lt;c@proxy:1</string>')
      expect(plist).not.toContain('http_proxy</key><string></string>')
      expect(existsSync(join(root, 'etc'))).toBe(false)
    })

    it('says that a build is not signed, and refuses it where no Mac could run it', async () => {
      const unsigned = 'code object is not signed at all'
      const intel = await runWith(onMac('x86_64', unsigned), ...chosen, '--root', newRoot())
      expect(intel).toMatchObject({ status: 0, text: expect.stringContaining('this build is not signed') })
      const root = newRoot()
      const apple = await runWith(onMac('arm64', unsigned), ...chosen, '--root', root)
      expect(apple).toMatchObject({ status: 1, text: expect.stringContaining('scripts/sign-macos.sh') })
      expect(readdirSync(join(root, 'opt/muster'))).toEqual([])
    })

    it('takes everything away again, the identity only when it is asked to', async () => {
      const [root, env] = [newRoot(), onMac('arm64', 'Authority=Developer ID Application: Example (ABCDE12345)')]
      const { text } = await runWith(env, ...chosen, '--root', root)
      expect(text).not.toContain('signature of a developer')
      expect(await runWith(env, '--uninstall', '--root', root)).toMatchObject({ status: 0 })
      expect([program(root), join(root, daemon)].some((path) => existsSync(path))).toBe(false)
      expect(existsSync(join(root, data))).toBe(true)
      await runWith(env, '--uninstall', '--purge', '--root', root)
      expect(existsSync(join(root, data))).toBe(false)
    })
  })

  it('takes a folder with blanks in its name, and says how the agent is started there', async () => {
    const root = join(newRoot(), 'a machine')
    const { status, text } = await run(...chosen, '--root', root)
    expect(status).toBe(0)
    expect(text).toContain(`'${program(root)}.watchdog' watchdog --server ${publicUrl} --data-dir '${root}/var/lib`)
    expect(await run('--uninstall', '--purge', '--root', root)).toMatchObject({ status: 0 })
    expect(existsSync(program(root))).toBe(false)
  })

  it('leaves what the watchdog runs from alone when the agent is there already', async () => {
    const root = newRoot()
    await run(...chosen, '--root', root)
    rmSync(`${program(root)}.watchdog`)
    writeFileSync(`${program(root)}.watchdog`, 'a version that has proved itself')
    expect(await run(...chosen, '--root', root)).toMatchObject({ status: 0 })
    expect(readFileSync(`${program(root)}.watchdog`, 'utf8')).toBe('a version that has proved itself')
  })

  const offLoopback = ['--server', 'http://muster.test', '--allow-plaintext']
  const isThere = (tool: string) => spawnSync(tool, ['--version']).error === undefined
  describe.each(['curl', 'wget'].filter(isThere))('with %s', (tool) => {
    // What the script needs besides, and of the two only this one.
    const tools = join(scratch, `with-${tool}`)
    const needed = 'sh cat chmod cp cut dd grep id ln mkdir mktemp mv openssl rm sed sha256sum tr uname'.split(' ')
    beforeAll(() => {
      mkdirSync(tools)
      for (const name of [tool, ...needed]) {
        const folder = PATH.split(':').find((each) => existsSync(join(each, name))) ?? ''
        symlinkSync(join(folder, name), join(tools, name))
      }
    })

    it.each([
      [{ http_proxy: publicUrl }, `http_proxy="${publicUrl}"\n`],
      [{ HTTP_PROXY: publicUrl }, `http_proxy="${publicUrl}"\n`],
      [
        { ALL_PROXY: publicUrl, NO_PROXY: 'x.test' },
        `https_proxy="${publicUrl}"\nhttp_proxy="${publicUrl}"\nno_proxy="x.test"\n`,
      ],
    ])('goes through the proxy of %j and hands it on', async (env, settings) => {
      const root = newRoot()
      forwarded.length = 0
      const told = await runWith({ PATH: tools, ...env }, ...chosen, '--root', root, ...offLoopback)
      expect(told).toMatchObject({ status: 0 })
      expect(forwarded).toHaveLength(3)
      expect(readFileSync(join(root, 'etc/muster/agent.env'), 'utf8')).toBe(`${settings}ALLOW_PLAINTEXT="true"\n`)
    })

    it('does without it for what no_proxy names', async () => {
      const env = { PATH: tools, http_proxy: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' }
      expect(await runWith(env, ...chosen, '--root', newRoot())).toMatchObject({ status: 0 })
    })

    it('takes the proxy of the command line before that of the environment', async () => {
      const root = newRoot()
      const args = ['--root', root, ...offLoopback, '--proxy', publicUrl]
      const env = { PATH: tools, http_proxy: 'http://127.0.0.1:1' }
      expect(await runWith(env, ...chosen, ...args)).toMatchObject({ status: 0 })
    })

    it('keeps nothing of what broke off', async () => {
      for (const arch of ['x64', 'arm64']) cuts.add(`/api/v1/agents/download/linux/${arch}`)
      const root = newRoot()
      const told = await runWith({ PATH: tools }, ...chosen, '--root', root)
      cuts.clear()
      expect(told).toMatchObject({ status: 1, text: expect.stringContaining('could not be fetched') })
      expect(readdirSync(join(root, 'opt/muster'))).toEqual([])
    })
  })

  it('refuses what does not run on this machine', async () => {
    const root = newRoot()
    const told = await run('--version', foreign, '--root', root)
    expect(told).toMatchObject({ status: 1, text: expect.stringContaining('does not run on this machine') })
    expect(readdirSync(join(root, 'opt/muster'))).toEqual([])
  })

  const path = '/api/v1/agents'
  it.each([
    ['an executable that was changed on its way', `${path}/download/linux/`, 'evil', 'its SHA-256 is another one'],
    ['a list of hashes that was changed', `${path}/releases/targets/${version}/SHA256SUMS`, 'evil', 'not signed'],
    [
      'a signature that fits nothing',
      `${path}/releases/targets/${version}/SHA256SUMS.sig`,
      'x'.repeat(64),
      'not signed',
    ],
  ])('refuses %s', async (_what, where, lie, reason) => {
    const paths = where.endsWith('/') ? [`${where}x64`, `${where}arm64`] : [where]
    for (const each of paths) lies.set(each, lie)
    const root = newRoot()
    const told = await run(...chosen, '--root', root)
    lies.clear()
    expect(told.status).toBe(1)
    expect(told.text).toContain(reason)
    expect(existsSync(program(root))).toBe(false)
  })

  it('a key of one’s own takes the place of the one in the script', async () => {
    const [right, wrong] = [join(scratch, 'right.pem'), join(scratch, 'wrong.pem')]
    writeFileSync(right, key.pem)
    writeFileSync(wrong, otherKey.pem)
    expect(await run(...chosen, '--root', newRoot(), '--release-key', right)).toMatchObject({ status: 0 })
    const told = await run(...chosen, '--root', newRoot(), '--release-key', wrong)
    expect(told).toMatchObject({ status: 1, text: expect.stringContaining('not signed with a key that is trusted') })
  })

  it('asks an enrolled machine for no key, and takes a new one when it is told to', async () => {
    const root = newRoot()
    const keyFile = join(root, 'var/lib/muster-agent/enrollment.key')
    mkdirSync(join(root, 'var/lib/muster-agent'), { recursive: true })
    writeFileSync(join(root, 'var/lib/muster-agent/enrolment.json'), '{}')
    expect(await run(...chosen, '--root', root)).toMatchObject({ status: 0 })
    expect(existsSync(keyFile)).toBe(false)
    expect(await run(...chosen, '--root', root, '--key-stdin')).toMatchObject({ status: 0 })
    expect(readFileSync(keyFile, 'utf8')).toBe('KEY-1\n')
  })

  it('is content with no fewer signatures than the root of the releases demands', async () => {
    const own = new DiskStore(join(scratch, 'two-keys'))
    const repository = new Repository(own)
    await repository.begin({ release: [key, otherKey], threshold: 2, online: createReleaseKey() })
    const bytes = Buffer.from(agent)
    await repository.add(onEach(version, bytes), [key])
    const base = `${path}/releases/targets/${version}`
    const [before, pem] = [readFileSync(script, 'utf8'), join(scratch, 'both.pem')]
    writeFileSync(pem, key.pem + otherKey.pem)
    writeFileSync(
      script,
      before.replace(/^threshold=1$/m, 'threshold=2').replace("cat <<'KEYS'\n", `$&${otherKey.pem}`),
    )
    const attempt = async (...args: string[]) => {
      const signatures = readFileSync(join(scratch, 'two-keys/targets', version, 'SHA256SUMS.sig'))
      lies.set(`${base}/SHA256SUMS.sig`, signatures)
      const told = await run(...chosen, '--root', newRoot(), ...args)
      lies.delete(`${base}/SHA256SUMS.sig`)
      return told
    }
    const refused = { status: 1, text: expect.stringContaining('1 of 2 signatures fit') }
    expect(await attempt()).toMatchObject(refused)
    expect(await attempt('--release-key', pem)).toMatchObject(refused)
    await repository.countersign(key)
    expect(await attempt()).toMatchObject(refused)
    await repository.countersign(otherKey)
    expect(await attempt()).toMatchObject({ status: 0 })
    expect(await attempt('--release-key', pem)).toMatchObject({ status: 0 })
    writeFileSync(script, before)
  })

  it.each([
    [['--key', 'KEY-1'], 'K', '--key is not taken: give the key on standard input'],
    [['--code=K7WQ2'], 'K', '--code is not taken'],
    [['--version'], 'K', '--version needs a value'],
    [['--frobnicate'], 'K', 'unknown option'],
    [['--version', '1.2.3'], 'K', 'has no agent 1.2.3'],
    [['--version', version], '', 'needs the enrollment key on standard input'],
    [['--version', version], 'a b', 'characters that no key has'],
    [['--version', version, '--server', 'ftp://x'], 'K', 'is no address'],
    ...['http://muster.test', 'http://10.0.0.1:3000', 'http://127.0.0.1.test', 'http://localhost@muster.test'].map(
      (address) => [['--server', address], 'K', `${address} is not encrypted`] as [string[], string, string],
    ),
  ])('says what is wrong with %j and %j on standard input', async (args, input, reason) => {
    const told = await runGiven(input, {}, ...args, ...(args.length === 1 ? [] : ['--root', newRoot()]))
    expect(told).toMatchObject({ status: 1, text: expect.stringContaining(reason) })
  })
})
