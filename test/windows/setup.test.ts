// Installing and removing the agent on Windows, under wine: by the executable's own commands, and by the MSI.
import { execFile } from 'node:child_process'
import { access, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { debianPackages } from '@muster/testkit/debian.ts'
import { NtExecutable, NtExecutableResource, Resource } from 'resedit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildExecutable } from '../../scripts/agent-build/executable.ts'
import { buildMsi } from '../../scripts/agent-build/msi.ts'
import { type SigningCertificate, signingCertificate } from '../../scripts/agent-build/signing-settings.ts'
import { signForWindows } from '../../scripts/agent-build/windows-signature.ts'
import type { Administrator } from '../system/administrator.ts'
import { eventually } from '../system/eventually.ts'
import { openMuster } from './muster-under-test.ts'
import { windowsTarget } from './release.ts'
import { Wine, withoutWine } from './wine.ts'

vi.setConfig({ testTimeout: 180_000 })

const exec = promisify(execFile)
const services = 'SYSTEM\\CurrentControlSet\\Services'
const [exitUsage, exitRefused] = [2, 3]

describe.skipIf(withoutWine !== undefined)('the installed agent on Windows', () => {
  let fleet: Administrator
  let wine: Wine
  let folder: string
  let data: string
  let orgId: string
  let key: string
  const program = () => join(folder, 'muster-agent.exe')
  const exists = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    )
  const run = (args: string[], env: Record<string, string> = {}) => wine.run(program(), args, env)
  const deviceAfter = async (ids: readonly string[]) =>
    (await fleet.device(orgId, (one) => one.status === 'online' && !ids.includes(one.id), 120_000)).id
  const valuesOf = async (id: string, path: string) => {
    const query = new URLSearchParams({ hive: 'HKEY_LOCAL_MACHINE', path })
    const { values } = await fleet.must('GET', `/system-tools/devices/${id}/registry/values?${query}`)
    return Object.fromEntries(values.map((value: { name: string; data: unknown }) => [value.name, value.data]))
  }
  /** What the registry editor of Windows prints about a key. */
  const registryText = async (key: string) => {
    const output = join(folder, 'registry.txt')
    const child = await wine.start('reg', ['query', `HKLM\\${key}`], output)
    await new Promise((resolve) => child.once('exit', resolve))
    const text = await readFile(output, 'utf8')
    await rm(output)
    return text
  }
  /** Whether the service control manager knows the service. */
  const isService = async () => (await wine.run('sc', ['query', 'MusterAgent'])) === 0

  beforeAll(async () => {
    wine = await Wine.open('muster-setup')
    folder = wine.path('Program Files', 'Muster')
    data = wine.path('ProgramData', 'Muster')
    await mkdir(folder, { recursive: true })
    const shared = await openMuster()
    fleet = shared.fleet
    await copyFile(shared.executable, program())
    const tenant = await fleet.tenant()
    orgId = tenant.org.id
    key = tenant.key
    // wine stops all services once no other program runs.
    await wine.start('ping', ['-n', '1000', '127.0.0.1'], '/dev/null')
  }, 180_000)
  afterAll(() => wine?.stop())

  describe('by its own command', () => {
    it('refuses to install without a key or with a wrong one, replaces a changed addon, and leaves nothing behind', async () => {
      expect(await run(['install', '--server', fleet.stack.urls.admin])).toBe(exitRefused)
      const addons = (await readdir(folder)).filter((name) => name.startsWith('native-'))
      const addon = join(folder, addons[0] ?? '', 'koffi.node')
      const content = await readFile(addon)
      await writeFile(addon, 'another addon')
      expect(await run(['install'], { MUSTER_ENROLLMENT_KEY: key })).toBe(exitUsage)
      expect((await readFile(addon)).equals(content)).toBe(true)
      expect(await run(['install', '--bogus'])).toBe(exitUsage)
      expect(await run(['install', '--help'])).toBe(0)
      const wrong = { MUSTER_ENROLLMENT_KEY: 'mek_wrong' }
      expect(await run(['install', '--server', fleet.stack.urls.admin], wrong)).toBe(exitRefused)
      expect(await isService()).toBe(false)
      expect((await readdir(folder)).filter((name) => !name.startsWith('native-'))).toEqual(['muster-agent.exe'])
      expect(await exists(join(data, 'Agent', 'enrollment.key'))).toBe(false)
    })

    it('installs a service that enrolls, changes it in place, and removes it', async () => {
      expect(await run(['install', '--server', fleet.stack.urls.admin], { MUSTER_ENROLLMENT_KEY: key })).toBe(0)
      const id = await deviceAfter([])
      expect(await readdir(join(data, 'Agent'))).not.toContain('enrollment.key')
      const flags = `--server ${fleet.stack.urls.admin} --data-dir C:\\ProgramData\\Muster\\Agent`
      const service = await fleet.must('GET', `/system-tools/devices/${id}/services/MusterAgent`)
      expect(service).toMatchObject({
        displayName: 'Muster Agent',
        state: 'running',
        startup: 'automatic',
        command: `"C:\\Program Files\\Muster\\muster-agent.watchdog.exe" service ${flags}`,
      })
      expect(await registryText(`${services}\\MusterAgent`)).toMatch(
        /Environment +REG_MULTI_SZ +NODE_USE_SYSTEM_CA=1\r?\n/,
      )
      const own = new URLSearchParams({ hive: 'HKEY_LOCAL_MACHINE', path: `${services}\\MusterAgent` })
      expect(await fleet.rest('GET', `/system-tools/devices/${id}/registry/values?${own}`)).toMatchObject({
        status: 409,
        body: { deviceCode: 'DENIED' },
      })
      expect(await valuesOf(id, `${services}\\EventLog\\Application\\MusterAgent`)).toEqual({
        EventMessageFile: '%SystemRoot%\\System32\\EventCreate.exe',
        TypesSupported: 7,
      })
      // As an upgrade does: without a server and a key.
      expect(await run(['install', '--server', ''])).toBe(0)
      await eventually(async () => {
        // The device is offline for a moment.
        const { body } = await fleet.rest('GET', `/system-tools/devices/${id}/services/MusterAgent`)
        return body.mainPid > 0 && body.mainPid !== service.mainPid && body.command === service.command
      }, 90_000)
      expect(await run(['uninstall', '--purge'])).toBe(0)
      expect(await isService()).toBe(false)
      expect(await readdir(folder)).toEqual(['muster-agent.exe'])
      expect(await exists(data)).toBe(false)
    })
  })

  describe('by the MSI', () => {
    /** Where installers and certificates are, and as programs of this Windows name it. */
    const made = (name: string) => wine.path('muster-msi', name)
    const msi = (version: string) => `C:\\muster-msi\\${version}.msi`
    const msiexec = (...args: string[]) => wine.run('msiexec', [...args, '/qn'])
    const verify = async (path: string) =>
      (await exec('osslsigncode', ['verify', '-CAfile', made('certificate.pem'), '-in', path])).stdout

    /** A certificate of our own for code signing. */
    async function certificate(): Promise<SigningCertificate> {
      const [pfx, passwordFile] = [made('certificate.pfx'), made('password')]
      await writeFile(passwordFile, 'a password')
      const files = ['-keyout', made('key.pem'), '-out', made('certificate.pem')]
      const usage = ['-addext', 'extendedKeyUsage=codeSigning', '-subj', '/CN=Example Ltd', '-nodes', '-days', '2']
      await exec('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...files, ...usage])
      const from = ['-inkey', made('key.pem'), '-in', made('certificate.pem'), '-passout', `file:${passwordFile}`]
      await exec('openssl', ['pkcs12', '-export', '-out', pfx, ...from])
      return { pfx, passwordFile, timestampUrl: undefined }
    }

    beforeAll(async () => {
      await debianPackages('/usr/bin/wixl', 'wixl')
      await debianPackages('/usr/bin/msibuild', 'msitools')
      await debianPackages('/usr/bin/osslsigncode', 'osslsigncode')
      for (const path of [folder, data, made('')]) await rm(path, { recursive: true, force: true })
      await mkdir(made(''), { recursive: true })
      const signing = await certificate()
      const build = async (version: string) => {
        const executable = made(`${version}.exe`)
        await buildExecutable({ target: windowsTarget(), release: { version }, to: executable, certificate: signing })
        await buildMsi(executable, made(`${version}.msi`), { arch: 'x64', version })
      }
      await Promise.all(['7.0.1', '7.0.2'].map(build))
      await signForWindows(made('7.0.1.msi'), signing)
    }, 600_000)

    it('has a version, a name, an icon and signatures', async () => {
      const content = await readFile(made('7.0.1.exe'))
      const { entries } = NtExecutableResource.from(NtExecutable.from(content, { ignoreCert: true }))
      const [info] = Resource.VersionInfo.fromEntries(entries)
      expect(info?.getStringValues({ lang: 1033, codepage: 1200 })).toMatchObject({
        FileDescription: 'Muster Agent',
        FileVersion: '7.0.1',
        CompanyName: 'Muster',
      })
      expect(info?.fixedInfo).toMatchObject({ fileVersionMS: 0x7_0000, fileVersionLS: 0x1_ffff })
      expect(Resource.IconGroupEntry.fromEntries(entries)[0]?.icons).toHaveLength(4)
      for (const file of ['7.0.1.exe', '7.0.1.msi']) expect(await verify(made(file))).toContain('Succeeded')
      const changed = Buffer.from(content)
      changed.writeUInt8(changed.readUInt8(1_000_000) ^ 1, 1_000_000)
      await writeFile(made('changed.exe'), changed)
      await expect(verify(made('changed.exe'))).rejects.toThrow()
      await rm(made('changed.exe'))
    })

    it.each(['1.2.3-rc.1', '256.0.0', '1.2.65536'])('refuses %s as the version of an MSI', async (version) => {
      const building = buildMsi(made('7.0.1.exe'), made('refused.msi'), { arch: 'x64', version })
      await expect(building).rejects.toThrow(`${version} cannot be the version of an MSI`)
    })

    it('refuses a signature with only a part of its settings', async () => {
      expect(signingCertificate({})).toBeUndefined()
      expect(() => signingCertificate({ WINDOWS_SIGNING_PFX: made('certificate.pfx') })).toThrow('belong together')
      const wrong = { pfx: made('certificate.pfx'), passwordFile: made('key.pem'), timestampUrl: undefined }
      await expect(signForWindows(made('7.0.2.exe'), wrong)).rejects.toThrow('could not be signed')
      expect(await verify(made('7.0.2.exe'))).toContain('Succeeded')
    })

    it('hides secrets from the logs of the installer', async () => {
      const { stdout } = await exec('msiinfo', ['export', made('7.0.1.msi'), 'Property'])
      expect(stdout).toMatch(/^MsiHiddenProperties\tKEY;CODE;PROXY;InstallService\r?$/m)
      const actions = await exec('msiinfo', ['export', made('7.0.1.msi'), 'CustomAction'])
      const types = [...actions.stdout.matchAll(/^(?:Set)?InstallService\t(\d+)/gm)].map(([, type]) => Number(type))
      expect(types.map((type) => type & 0x2000)).toEqual([0x2000, 0x2000])
    })

    it('keeps the service with its settings when a later version removes it', async () => {
      const { stdout } = await exec('msiinfo', ['export', made('7.0.1.msi'), 'InstallExecuteSequence'])
      const removal = 'REMOVE~="ALL" AND NOT UPGRADINGPRODUCTCODE'
      expect(stdout).toMatch(new RegExp(`^RemoveService\\t${removal} AND NOT PURGE\\t`, 'm'))
      expect(stdout).toMatch(new RegExp(`^PurgeService\\t${removal} AND PURGE\\t`, 'm'))
    })

    it('refuses to install without a server or a key, and leaves nothing behind', async () => {
      expect(await msiexec('/i', msi('7.0.1'))).not.toBe(0)
      expect(await msiexec('/i', msi('7.0.1'), `SERVER=${fleet.stack.urls.admin}`)).not.toBe(0)
      expect(await isService()).toBe(false)
      expect(await exists(program())).toBe(false)
    })

    it('installs, repairs, upgrades and removes the agent', async () => {
      const { devices } = await fleet.must('GET', `/devices?orgIds=${orgId}&limit=10`)
      const before = devices.map((one: { id: string }) => one.id)
      const given = [`SERVER=${fleet.stack.urls.admin}`, `KEY=${key}`]
      expect(await msiexec('/i', msi('7.0.1'), ...given)).toBe(0)
      const id = await deviceAfter(before)
      expect(await fleet.must('GET', `/devices/${id}`)).toMatchObject({ agentVersion: '7.0.1' })
      const service = await fleet.must('GET', `/system-tools/devices/${id}/services/MusterAgent`)
      expect(service).toMatchObject({ displayName: 'Muster Agent', startup: 'automatic' })
      await rm(program())
      expect(await msiexec('/i', msi('7.0.1'), 'REINSTALL=ALL', 'REINSTALLMODE=omus')).toBe(0)
      expect((await readFile(program())).equals(await readFile(made('7.0.1.exe')))).toBe(true)
      expect(await isService()).toBe(true)
      expect(await msiexec('/i', msi('7.0.2'))).toBe(0)
      await eventually(async () => {
        const { status, agentVersion } = await fleet.must('GET', `/devices/${id}`)
        return status === 'online' && agentVersion === '7.0.2'
      }, 90_000)
      expect(await msiexec('/x', msi('7.0.2'), 'PURGE=1')).toBe(0)
      expect(await isService()).toBe(false)
      expect(await exists(folder)).toBe(false)
      expect(await exists(data)).toBe(false)
    })
  })
})
