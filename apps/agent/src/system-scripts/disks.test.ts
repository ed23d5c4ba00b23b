// The system scripts, run by the agent's own runner: success, failure and repetition of each.
import { utimes } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptMachine } from '../testing/script-machine.ts'

let machine: ScriptMachine
beforeEach(async () => {
  machine = await ScriptMachine.create()
}, 600_000)
afterEach(() => machine[Symbol.asyncDispose]())

const table = (percent: number) => `
  echo 'Filesystem Type 1024-blocks Used Available Capacity Mounted on'
  echo '/dev/sda1 ext4 100 80 20 ${percent}% /srv/with space'
  echo 'tmpfs tmpfs 100 100 0 100% /run'
  echo '/dev/loop0 squashfs 100 100 0 100% /snap/core'`

test('disk-usage measures the file systems of this machine', async () => {
  const told = await machine.run('linux/disk-usage', { warn_percent: 100 })
  expect(told).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^ok: \d+ measurements are below 100 %/) })
})

test('disk-usage warns about full file systems each time, and sets its field', async () => {
  await machine.program('df', table(91))
  const expected = [
    ...['::muster-field disk_percent=91', 'warning: 2 measurements are at or above 90 %'],
    ...['/srv/with space uses 91 % of its space', '/srv/with space uses 91 % of its inodes', ''],
  ]
  for (const _ of ['first', 'second']) {
    const told = await machine.run('linux/disk-usage', { warn_percent: 90, field: 'disk_percent' })
    expect(told).toEqual({ exitCode: 2, stdout: expected.join('\n'), stderr: '' })
  }
})

test.each(['0', '101', '9x', '-1', '1; id'])('disk-usage refuses %j as a percentage', async (value) => {
  const told = await machine.run('linux/disk-usage', { warn_percent: value })
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: 'error: warn_percent must be a number from 1 to 100\n' })
})

test('clean-temporary-files deletes old files once, and keeps new ones and those of services', async () => {
  const old = new Date(Date.now() - 10 * 86_400_000)
  for (const name of ['tmp/old', 'tmp/a b/old', 'var/tmp/old', 'tmp/systemd-private-1/old']) {
    await machine.write(name, '12345')
    await utimes(machine.path(name), old, old)
  }
  await machine.write('tmp/new', '12345')
  const dry = await machine.run('linux/clean-temporary-files', { dry_run: true })
  expect(dry.stdout).toBe('ok: 3 files with 15 bytes are older than 7 days; nothing was deleted\n')
  expect((await machine.run('linux/clean-temporary-files')).stdout).toBe('changed: deleted 3 files with 15 bytes\n')
  expect((await machine.run('linux/clean-temporary-files')).stdout).toBe('unchanged: no file is older than 7 days\n')
  expect(await machine.read('tmp/new')).toBe('12345')
  expect(await machine.read('tmp/systemd-private-1/old')).toBe('12345')
  await expect(machine.read('tmp/a b/old')).rejects.toThrow('ENOENT')
})

test('clean-temporary-files refuses zero days', async () => {
  const told = await machine.run('linux/clean-temporary-files', { days: 0 })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: days must be a number from 1 to 3650\n' })
})

const drives = (second: string) => `
  case "$*" in
    *scan-open*) echo '/dev/sda -d sat # a drive'; echo '/dev/nvme0 -d nvme # a drive' ;;
    *sda*) echo 'SMART overall-health self-assessment test result: PASSED' ;;
    *) ${second} ;;
  esac`

test('smart-health reports healthy drives each time', async () => {
  await machine.program('smartctl', drives('echo "SMART Health Status: OK"'))
  for (const _ of ['first', 'second'])
    expect(await machine.run('linux/smart-health')).toEqual({
      exitCode: 0,
      stdout: 'ok: 2 drives are healthy\n',
      stderr: '',
    })
})

test('smart-health warns about a drive that expects its failure', async () => {
  await machine.program('smartctl', drives('echo "SMART overall-health self-assessment test result: FAILED!"; exit 8'))
  const told = await machine.run('linux/smart-health', { field: 'drives' })
  expect(told).toMatchObject({
    exitCode: 2,
    stdout: '::muster-field drives=1\nwarning: 1 drives are failing\n/dev/nvme0\n',
  })
})

test('smart-health fails where smartctl cannot look', async () => {
  await machine.program('smartctl', 'exit 1')
  const told = await machine.run('linux/smart-health')
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: smartctl cannot look for drives\n' })
})

const array = (state: string, more = '') =>
  `Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n      1047552 blocks super 1.2 [2/2] ${state}\n${more}\nunused devices: <none>\n`

test.each([
  [array('[UU]'), 0, 'ok: 1 arrays are complete\n'],
  [array('[U_]'), 2, 'warning: 1 findings on 1 arrays\nmd0 misses a drive [U_]\n'],
  [
    array('[UU]', '      [==>..]  resync = 12.6% (1/2) finish=0.1min'),
    2,
    'warning: 1 findings on 1 arrays\nmd0 is in resync at 12.6%\n',
  ],
  ['Personalities :\nmd1 : inactive sdc1[0](S)\n', 2, 'warning: 1 findings on 1 arrays\nmd1 is inactive\n'],
  ['Personalities :\nunused devices: <none>\n', 0, 'ok: this machine has no software RAID\n'],
])('raid-health reads the state of arrays each time (%#)', async (text, exitCode, stdout) => {
  await machine.write('proc/mdstat', text)
  machine.mount('proc', '/proc')
  for (const _ of ['first', 'second'])
    expect(await machine.run('linux/raid-health')).toEqual({ exitCode, stdout, stderr: '' })
})

test('raid-health refuses a field that cannot be one', async () => {
  const told = await machine.run('linux/raid-health', { field: 'Field' })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: field must be the key of a custom field\n' })
})
