import { truncate, utimes, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptMachine } from '../testing/script-machine.ts'

let machine: ScriptMachine
beforeEach(async () => {
  machine = await ScriptMachine.create()
}, 600_000)
afterEach(() => machine[Symbol.asyncDispose]())

test('file-baseline stores the files at its first run, and finds no difference at the next', async () => {
  await machine.write('srv/app/a', 'one')
  await machine.write('srv/app/folder/b', 'two')
  const run = () => machine.run('python/file-baseline', { paths: '/srv/app', name: 'app' })
  expect(await run()).toEqual({ exitCode: 0, stdout: 'changed: the baseline app has 2 files\n', stderr: '' })
  expect(await run()).toEqual({ exitCode: 0, stdout: 'ok: 2 files equal the baseline app\n', stderr: '' })
})

test('file-baseline warns about differences until they are accepted', async () => {
  for (const name of ['a', 'b']) await machine.write(`srv/app/${name}`, name)
  const run = (accept = false) => machine.run('python/file-baseline', { paths: '/srv/app', accept })
  await run()
  await machine.write('srv/app/a', 'other')
  await machine.write('srv/app/c', '')
  await machine.shell('rm /srv/app/b; ln -s /etc/passwd /srv/app/link')
  const lines = ['warning: 4 files differ from the baseline default', 'new: /srv/app/c', 'new: /srv/app/link']
  const stdout = [...lines, 'gone: /srv/app/b', 'changed: /srv/app/a', ''].join('\n')
  expect(await run()).toEqual({ exitCode: 2, stdout, stderr: '' })
  expect((await run(true)).stdout).toBe('changed: the baseline default has 3 files\n')
  expect((await run(true)).stdout).toBe('unchanged: the baseline default has these 3 files\n')
})

test.each([
  [{ paths: '' }, 'paths must not be empty'],
  [{ paths: 'srv' }, 'paths must be absolute and below /: srv'],
  [{ paths: '/srv/..' }, 'paths must be absolute and below /: /'],
  [{ paths: '/srv/missing' }, 'there is no /srv/missing'],
  [{ paths: '/srv', name: '../x' }, 'name must be lower-case letters, digits and -'],
])('file-baseline refuses %j', async (parameters, problem) => {
  const told = await machine.run('python/file-baseline', parameters)
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

test('file-baseline refuses a damaged baseline, and one of other paths', async () => {
  await machine.write('srv/a', '')
  await machine.write('home/b', '')
  await machine.run('python/file-baseline', { paths: '/srv' })
  const others = await machine.run('python/file-baseline', { paths: '/home' })
  expect(others.stderr).toBe('error: the baseline default is of other paths; run with accept to replace it\n')
  await machine.write('var/lib/muster-scripts/baselines/default.json', '{')
  const damaged = await machine.run('python/file-baseline', { paths: '/srv' })
  expect(damaged.stderr).toBe('error: the baseline default is damaged; run with accept to store it again\n')
})

test('large-files lists the largest files each time', async () => {
  const sizes = { small: 1, large: 3, largest: 5 }
  for (const [name, size] of Object.entries(sizes)) {
    await machine.write(`srv/${name}`, '')
    await writeFile(machine.path(`srv/${name}`), Buffer.alloc(size * 1024 * 1024, 1))
  }
  await machine.write('srv/sparse', '')
  await truncate(machine.path('srv/sparse'), 2 ** 30)
  const expected = [
    'ok: 2 files take 2 MiB or more each; the largest first',
    '       5 MiB  /srv/largest',
    '       3 MiB  /srv/large',
  ]
  for (const _ of ['first', 'second']) {
    const told = await machine.run('python/large-files', { folder: '/srv', min_mebibytes: 2 })
    expect(told).toEqual({ exitCode: 0, stdout: `${expected.join('\n')}\n`, stderr: '' })
  }
  const none = await machine.run('python/large-files', { folder: '/srv', min_mebibytes: 9 })
  expect(none.stdout).toBe('ok: no file below /srv takes 9 MiB or more\n')
})

test.each([
  [{ folder: 'srv' }, 'folder must be an absolute path'],
  [{ folder: '/srv/missing' }, 'there is no folder /srv/missing'],
  [{ folder: '/srv', count: 0 }, 'count must be a number from 1 to 100'],
])('large-files refuses %j', async (parameters, problem) => {
  const told = await machine.run('python/large-files', parameters)
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

test('backup-age finds the newest backup each time, and sets its field', async () => {
  await machine.write('srv/backups/2026/new.tar', '12345')
  await machine.write('srv/backups/old.tar', '1')
  await utimes(machine.path('srv/backups/old.tar'), 0, 0)
  await machine.write('srv/backups/notes.txt', '')
  for (const _ of ['first', 'second']) {
    const told = await machine.run('python/backup-age', {
      folder: '/srv/backups',
      pattern: '*.tar',
      field: 'last_backup',
    })
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`
    const text = String.raw`ok: the newest backup is 0 hours old and has 5 bytes: /srv/backups/2026/new\.tar`
    expect(told.stdout).toMatch(new RegExp(`^::muster-field last_backup=${time}\n${text}\n$`))
    expect(told.exitCode).toBe(0)
  }
})

test('backup-age warns about an old, a small and a missing backup', async () => {
  await machine.write('srv/backups/full.tar', '12345')
  const run = (more: object) => machine.run('python/backup-age', { folder: '/srv/backups', ...more })
  const small = await run({ min_bytes: 6 })
  expect(small).toMatchObject({
    exitCode: 2,
    stdout: expect.stringMatching(/^warning: the newest backup has only 5 bytes/),
  })
  const missing = await run({ pattern: '*.zip' })
  expect(missing).toMatchObject({ exitCode: 2, stdout: 'warning: /srv/backups has no file *.zip\n' })
  const before = new Date(Date.now() - 30 * 3_600_000)
  await utimes(machine.path('srv/backups/full.tar'), before, before)
  const old = await run({})
  expect(old).toMatchObject({
    exitCode: 2,
    stdout: 'warning: the newest backup is 30 hours old: /srv/backups/full.tar\n',
  })
})

test.each([
  [{ folder: '/srv/missing' }, 'there is no folder /srv/missing'],
  [{ folder: '/srv', hours: 'x' }, 'hours must be a number from 1 to 8760'],
  [{ folder: '/srv', pattern: '../*' }, 'pattern must fit the names of files, such as *.tar.gz'],
])('backup-age refuses %j', async (parameters, problem) => {
  const told = await machine.run('python/backup-age', parameters)
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

test('facts-to-fields writes the same facts each time', async () => {
  const fields = 'os_kernel=kernel, last_boot=boot_time,cpus=processors,zone=timezone'
  const first = await machine.run('python/facts-to-fields', { fields })
  expect(first.exitCode).toBe(0)
  expect(first.stdout).toMatch(
    /^::muster-field os_kernel=\S+\n::muster-field last_boot=\S+:00Z\n::muster-field cpus=\d+\n/,
  )
  expect(first.stdout).toMatch(/\n::muster-field zone=UTC\nok: 4 fields were written\n$/)
})

test('facts-to-fields leaves a field alone whose fact is unknown', async () => {
  machine.mount('srv', '/sys')
  const told = await machine.run('python/facts-to-fields', { fields: 'serial=serial_number' })
  expect(told).toEqual({ exitCode: 2, stdout: 'warning: this machine does not tell its serial_number\n', stderr: '' })
})

test.each(['', 'a=unknown', 'A=kernel', 'kernel', 'a=__class__'])('facts-to-fields refuses %j', async (fields) => {
  const told = await machine.run('python/facts-to-fields', { fields })
  expect(told).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/^error: fields must /) })
})

test('privileged-accounts accepts expected accounts each time', async () => {
  await machine.write('etc/group', 'root:x:0:\nsudo:x:27:jane\n')
  for (const _ of ['first', 'second']) {
    const told = await machine.run('python/privileged-accounts', { expected: 'root, jane' })
    expect(told).toEqual({ exitCode: 0, stdout: 'ok: 2 privileged accounts, all of them expected\n', stderr: '' })
  }
})

test('privileged-accounts warns about others, and about accounts without a password', async () => {
  await machine.write('etc/passwd', 'root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/root:/bin/sh\nbob:x:1001:27::/:/bin/sh\n')
  await machine.write('etc/group', 'root:x:0:\nsudo:x:27:jane\n')
  await machine.write('etc/shadow', 'root:*:1::::::\nguest::1::::::\n')
  const lines = [
    'bob has the primary group sudo',
    'jane is in the group sudo',
    'toor has the user ID 0',
    'guest needs no password',
  ]
  const told = await machine.run('python/privileged-accounts')
  const stdout = ['warning: 4 findings on privileged accounts', ...lines, ''].join('\n')
  expect(told).toEqual({ exitCode: 2, stdout, stderr: '' })
})

test('privileged-accounts fails where accounts cannot be read', async () => {
  await machine.shell('rm /etc/shadow')
  const told = await machine.run('python/privileged-accounts')
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: /etc/shadow cannot be read: No such file or directory\n' })
})
