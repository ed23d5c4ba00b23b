import { readFile } from 'node:fs/promises'
import { cpus, hostname, totalmem } from 'node:os'
import { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { expect, test } from 'vitest'
import { parseMounts, readVolumes } from './inventory/mounts.ts'
import { parseApk, parseDpkg, parseRpm } from './inventory/software.ts'
import { parseUsers } from './inventory/users.ts'
import { linux } from './linux.ts'
import { parseUnits } from './services.ts'
import { parseOsRelease } from './system.ts'
import { parseCpuTicks, parseInterfaces, parseMemory } from './vitals.ts'

test('reads plausible vitals of this machine', async () => {
  const [cpu, used, total, diskUsed, diskTotal, load, uptime, received, sent, processes] = Heartbeat.parse(
    await linux.vitals().read(),
  )
  expect(total).toBe(totalmem())
  expect(used).toBeGreaterThan(50_000_000)
  expect(used).toBeLessThan(totalmem())
  expect(diskTotal).toBeGreaterThan(1e9)
  expect(diskUsed).toBeLessThan(diskTotal ?? 0)
  expect(load).toBeGreaterThanOrEqual(0)
  expect(uptime).toBeCloseTo(Number.parseFloat(await readFile('/proc/uptime', 'utf8')), -1)
  expect([received, sent].every((bytes) => (bytes ?? -1) >= 0)).toBe(true)
  expect(processes).toBeGreaterThan(2)
  if (cpu !== null) expect(cpu).toBeLessThanOrEqual(100)
})

test('shows a busy processor in the next reading', async () => {
  const vitals = linux.vitals()
  await vitals.read()
  const until = performance.now() + 600
  while (performance.now() < until);
  const [cpu] = await vitals.read()
  expect(cpu).toBeGreaterThan((100 / cpus().length) * 0.6)
})

test('reads the facts of this machine', async () => {
  const facts = await linux.facts()
  expect(facts).toMatchObject({ hostname: hostname(), osType: 'linux', architecture: process.arch })
  expect(facts.osName).not.toBe('')
})

test('collects a plausible inventory of this machine', async () => {
  const { hardware, disks, network, software, services, users } = await linux.collectInventory()
  expect(hardware.cpuThreads).toBe(cpus().length)
  expect(hardware.memoryBytes).toBe(totalmem())
  expect(disks.filter(({ mount }) => mount === '/')).toHaveLength(1)
  expect(network.every(({ name, addresses }) => name !== 'lo' && addresses !== undefined)).toBe(true)
  expect(software.length).toBeGreaterThan(20)
  expect(software.every(({ name, version }) => name !== '' && version !== '')).toBe(true)
  expect(services.length).toBeGreaterThan(0)
  expect(users).toContainEqual({ name: 'root', uid: '0', admin: true })
})

test('lists volumes with sizes, each device once', async () => {
  const volumes = await readVolumes()
  expect(new Set(volumes.map(({ device }) => device)).size).toBe(volumes.length)
  expect(volumes.every(({ totalBytes, usedBytes }) => usedBytes <= totalBytes)).toBe(true)
})

test('lists local mounts once per device or pool, with unusual names', () => {
  const text = `proc /proc proc rw 0 0
/dev/sda1 / ext4 rw 0 0
/dev/sda1 /srv/bind ext4 rw 0 0
/dev/loop3 /snap/core squashfs ro 0 0
server:/export /mnt/nfs nfs4 rw 0 0
tank/home /home zfs rw 0 0
tank/data /data zfs rw 0 0
/dev/sdb1 /mnt/my\\040disk xfs rw 0 0
`
  expect(parseMounts(text).map(({ mount }) => mount)).toEqual(['/', '/home', '/mnt/my disk'])
})

test('reads figures from /proc, and returns none for missing data', () => {
  expect(parseCpuTicks('cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 …')).toEqual({ busy: 150, total: 1000 })
  expect(parseCpuTicks('nonsense')).toBeUndefined()
  expect(parseMemory('MemTotal: 1000 kB\nMemAvailable: 400 kB\n')).toEqual({ used: 600 * 1024, total: 1000 * 1024 })
  expect(parseMemory('MemTotal: 1000 kB\n')).toBeUndefined()
  const table = `Inter-|   Receive  |  Transmit
 face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed
    lo: 10 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0
eth0:500 4 0 0 0 0 0 0 700 6 0 0 0 0 0 0
`
  expect(parseInterfaces(table)).toEqual([
    { name: 'lo', received: 10, sent: 10 },
    { name: 'eth0', received: 500, sent: 700 },
  ])
})

test('parses packages of dpkg, rpm and apk', () => {
  expect(parseDpkg('installed\tbash\t5.2\tMatthias <m@debian.org>\nconfig-files\tgone\t1\tx\n')).toEqual([
    { name: 'bash', version: '5.2', publisher: 'Matthias <m@debian.org>', source: 'dpkg' },
  ])
  expect(parseRpm('bash\t0:5.1-6.el9\tRed Hat, Inc.\t1700000000\ngpg-pubkey\t0:fd43-61\t(none)\t1\n')).toEqual([
    { name: 'bash', version: '5.1-6.el9', publisher: 'Red Hat, Inc.', source: 'rpm', installedAt: 1_700_000_000_000 },
  ])
  expect(parseApk('musl-1.2.4-r2\nlib-x-utils-0.1_git2-r0\n')).toEqual([
    { name: 'musl', version: '1.2.4-r2', source: 'apk' },
    { name: 'lib-x-utils', version: '0.1_git2-r0', source: 'apk' },
  ])
})

test('parses systemd services with their state and startup', () => {
  const units = `  cron.service   loaded    active   running Regular background program processing daemon
● nginx.service  loaded    failed   failed  A high performance web server
  lost.service   not-found inactive dead    lost.service
`
  const files = 'cron.service enabled enabled\nnginx.service disabled enabled\n'
  expect(parseUnits(units, files)).toEqual([
    {
      ...{ name: 'cron', displayName: 'Regular background program processing daemon' },
      ...{ state: 'running', startup: 'enabled' },
    },
    { name: 'nginx', displayName: 'A high performance web server', state: 'failed', startup: 'disabled' },
  ])
})

test('lists accounts with a login, and which of them are administrators', () => {
  const accounts = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1::/:/usr/sbin/nologin
nobody:x:65534:65534::/:/usr/sbin/nologin
ann:x:1000:1000::/home/ann:/bin/bash
bob:x:1001:1001::/home/bob:/bin/bash
`
  expect(parseUsers(accounts, 'sudo:x:27:ann\nusers:x:100:bob\n')).toEqual([
    { name: 'root', uid: '0', admin: true },
    { name: 'ann', uid: '1000', admin: true },
    { name: 'bob', uid: '1001', admin: false },
  ])
})

test('parses os-release with each kind of quotes', () => {
  expect(parseOsRelease(`# comment\nNAME="A \\"B\\" \\$C"\nVERSION_ID='12'\nID=debian\nbroken line\n`)).toEqual({
    NAME: 'A "B" $C',
    VERSION_ID: '12',
    ID: 'debian',
  })
})
