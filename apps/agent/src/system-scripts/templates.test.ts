import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptMachine } from '../testing/script-machine.ts'

let machine: ScriptMachine
beforeEach(async () => {
  machine = await ScriptMachine.create()
}, 600_000)
afterEach(() => machine[Symbol.asyncDispose]())

const name = `a '$(id)' "b"`

test('download-file puts a file in place once, and refuses another hash', async () => {
  await machine.program(
    'curl',
    'for word; do case $last in --output) file=$word ;; esac; last=$word; done; printf text >"$file"',
  )
  const sha256 = '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1'
  const run = (hash: string) =>
    machine.runTemplate('templates/download-file', {
      url: 'https://example.com/x',
      path: `/srv/${name}/x`,
      sha256: hash,
    })
  expect(await run(sha256)).toEqual({ exitCode: 0, stdout: `changed: /srv/${name}/x is in place\n`, stderr: '' })
  expect(await run(sha256)).toEqual({ exitCode: 0, stdout: `unchanged: /srv/${name}/x is in place\n`, stderr: '' })
  expect(await machine.read(`srv/${name}/x`)).toBe('text')
  const stderr = 'error: https://example.com/x has another SHA-256\n'
  expect(await run('0'.repeat(64))).toEqual({ exitCode: 1, stdout: '', stderr })
})

test('delete-old-files deletes only old files of the pattern, once', async () => {
  for (const file of ['old.log', 'old.txt', 'new.log']) await machine.write(`srv/${name}/${file}`, '')
  await machine.shell('find /srv -name "old*" -exec touch -d "10 days ago" {} +')
  const run = () =>
    machine.runTemplate('templates/delete-old-files', { folder: `/srv/${name}`, pattern: '*.log', days: 7 })
  expect(await run()).toEqual({ exitCode: 0, stdout: 'changed: deleted 1 files\n', stderr: '' })
  expect((await run()).stdout).toBe(`unchanged: /srv/${name} has no such files\n`)
})

test('archive-folder keeps the newest archives', async () => {
  await machine.write(`srv/${name}/file`, 'text')
  for (const date of ['20200101T000000Z', '20210101T000000Z']) await machine.write(`srv/out/web-${date}.tar.gz`, '')
  const values = { folder: `/srv/${name}`, target: '/srv/out', name: 'web', keep: 2 }
  const told = await machine.runTemplate('templates/archive-folder', values)
  expect(told).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^changed: wrote \/srv\/out\/web-\d{8}T\d{6}Z\.tar\.gz/),
  })
  const { stdout } = await machine.shell(
    'ls /srv/out; tar -xOf /srv/out/web-2[!0]*.gz 2>/dev/null || tar -xOf /srv/out/web-202[2-9]*.gz',
  )
  expect(stdout).toMatch(/^web-20210101T000000Z\.tar\.gz\nweb-\d{8}T\d{6}Z\.tar\.gz\ntext$/)
})

test('check-process and check-mount warn about what is missing', async () => {
  const run = (key: string, values: Record<string, string>) => machine.runTemplate(key, values)
  expect((await run('templates/check-process', { program: 'sh' })).exitCode).toBe(0)
  const none = await run('templates/check-process', { program: name })
  expect(none).toMatchObject({ exitCode: 2, stdout: `warning: 0 processes of ${name} run, expected 1\n` })
  expect((await run('templates/check-mount', { mount_point: '/srv' })).stdout).toBe('ok: /srv is mounted\n')
  expect((await run('templates/check-mount', { mount_point: `/srv/${name}` })).exitCode).toBe(2)
})

test('file-permissions sets them once', async () => {
  await machine.write(`srv/${name}`, '')
  await chmod(machine.path(`srv/${name}`), 0o666)
  const run = () =>
    machine.runTemplate('templates/file-permissions', { path: `/srv/${name}`, owner: 'daemon', mode: '0640' })
  expect((await run()).stdout).toBe(`changed: /srv/${name} belongs to daemon and has mode 0640\n`)
  expect((await run()).stdout).toBe(`unchanged: /srv/${name} belongs to daemon and has mode 0640\n`)
})

test('check-url expects a status and a text', async () => {
  const server = createServer((_, answer) => answer.writeHead(404).end('not here')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It does not listen on a port')
  const run = (more: Record<string, string | number>) =>
    machine.runTemplate('templates/check-url', { url: `http://127.0.0.1:${address.port}/`, ...more })
  expect((await run({})).stdout).toBe('warning: the page answers with status 404\n')
  expect((await run({ status: 404, text: 'here' })).stdout).toBe('ok: the page answers with status 404\n')
  expect((await run({ status: 404, text: name })).stdout).toBe('warning: the page does not have the expected text\n')
  server.close()
})

test('count-log-matches and folder-size measure, and warn from a limit', async () => {
  await machine.write('srv/logs/app.log', `${name}\nother\n${name}\n`)
  const count = { path: '/srv/logs/app.log', text: name }
  const many = await machine.runTemplate('templates/count-log-matches', { ...count, warn_at: 2 })
  expect(many).toEqual({ exitCode: 2, stdout: 'warning: 2 lines have the text\n', stderr: '' })
  expect((await machine.runTemplate('templates/count-log-matches', { ...count, warn_at: 3 })).exitCode).toBe(0)
  const size = await machine.runTemplate('templates/folder-size', {
    folder: '/srv/logs',
    warn_mebibytes: 1,
    field: 'mib',
  })
  expect(size).toEqual({ exitCode: 0, stdout: '::muster-field mib=0\nok: the folder takes 0 MiB\n', stderr: '' })
})

test('json-setting sets a text once, and keeps the rest', async () => {
  await machine.write('srv/app.json', '{"a": {"b": 1}}')
  const run = (key: string) =>
    machine.runTemplate('templates/json-setting', { path: '/srv/app.json', key, value: name })
  expect((await run('a.c')).stdout).toBe('changed: the setting is in place\n')
  expect((await run('a.c')).stdout).toBe('unchanged: the setting is in place\n')
  expect(JSON.parse(await machine.read('srv/app.json'))).toEqual({ a: { b: 1, c: name } })
  expect(await run('a.b.c')).toMatchObject({
    exitCode: 1,
    stderr: 'error: the key leads through a value that is no object\n',
  })
})
