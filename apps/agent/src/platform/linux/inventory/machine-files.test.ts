import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../testing/test-agent.ts'
import { MachineFiles, parseRoutes } from './machine-files.ts'

async function machine(files: Readonly<Record<string, string | Buffer>>) {
  const folder = await temporaryFolder()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), content)
  }
  return { folder, files: new MachineFiles(folder.path), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

test('reads a battery, and not that of a mouse', async () => {
  const supply = 'sys/class/power_supply'
  const mouse = { [`${supply}/A/type`]: 'Battery\n', [`${supply}/A/scope`]: 'Device\n' }
  await using laptop = await machine({
    ...mouse,
    [`${supply}/AC/type`]: 'Mains\n',
    [`${supply}/BAT0/type`]: 'Battery\n',
    [`${supply}/BAT0/capacity`]: '87\n',
    [`${supply}/BAT0/status`]: 'Charging\n',
    [`${supply}/BAT0/cycle_count`]: '312\n',
  })
  expect(await laptop.files.battery()).toEqual({ percent: 87, charging: true, cycles: 312, condition: undefined })
  await using desktop = await machine(mouse)
  expect(await desktop.files.battery()).toBeUndefined()
})

test('reads the security chip and the state of Secure Boot', async () => {
  await using modern = await machine({
    'sys/class/tpm/tpm0/tpm_version_major': '2\n',
    'sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c': Buffer.from([6, 0, 0, 0, 1]),
  })
  expect([await modern.files.tpm(), await modern.files.secureBoot()]).toEqual([{ present: true, version: '2.0' }, true])
  await using old = await machine({})
  expect([await old.files.tpm(), await old.files.secureBoot()]).toEqual([undefined, undefined])
  await mkdir(join(old.folder.path, 'sys/class/tpm'), { recursive: true })
  expect(await old.files.tpm()).toEqual({ present: false })
})

test('says why a machine has to restart', async () => {
  const debian = { 'var/lib/dpkg/status': '' }
  await using quiet = await machine(debian)
  expect(await quiet.files.pendingRestart()).toEqual([])
  const note = { ...debian, 'run/reboot-required': '*** System restart required ***\n' }
  await using waiting = await machine({ ...note, 'run/reboot-required.pkgs': 'libc6\nlinux-base\nlibc6\n' })
  expect(await waiting.files.pendingRestart()).toEqual(['libc6', 'linux-base'])
  await using unnamed = await machine(note)
  expect(await unnamed.files.pendingRestart()).toEqual(['packages'])
  await using other = await machine({})
  expect(await other.files.pendingRestart()).toBeUndefined()
})

test('finds encryption below a logical volume', async () => {
  const block = 'sys/class/block'
  await using laptop = await machine({
    [`${block}/sda1/size`]: '1',
    [`${block}/dm-0/dm/uuid`]: 'CRYPT-LUKS2-0123-root\n',
    [`${block}/dm-1/dm/uuid`]: 'LVM-0123\n',
    [`${block}/dm-1/slaves/dm-0`]: '',
    'dev/sda1': '',
    'dev/dm-1': '',
  })
  await mkdir(join(laptop.folder.path, 'dev/mapper'))
  await symlink('../dm-1', join(laptop.folder.path, 'dev/mapper/vg-root'))
  expect(await laptop.files.encryption('/dev/mapper/vg-root')).toBe('on')
  expect(await laptop.files.encryption('/dev/sda1')).toBe('off')
  expect(await laptop.files.encryption('pool/data')).toBeUndefined()
})

test('reads the default gateways of the route table', () => {
  const table = [
    'Iface\tDestination\tGateway \tFlags',
    'eth0\t00000000\t0102A8C0\t0003',
    'eth0\t0002A8C0\t00000000\t0001',
    'wg0\t00000000\t00000000\t0001',
  ]
  expect([...parseRoutes(table.join('\n'))]).toEqual([['eth0', ['192.168.2.1']]])
})
