import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptMachine } from '../testing/script-machine.ts'

let machine: ScriptMachine
beforeEach(async () => {
  machine = await ScriptMachine.create()
}, 600_000)
afterEach(() => machine[Symbol.asyncDispose]())

/** A certificate in the folder /srv of the machine, valid for these days. */
async function certificate(days: number, more = '') {
  const subject = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test'
  const files = '-keyout /srv/key.pem -out /srv/cert.pem'
  const made = await machine.shell(`openssl req -x509 ${subject} -days ${days} ${files} ${more} 2>&1`)
  expect(made).toMatchObject({ exitCode: 0 })
}

async function listen(server: ReturnType<typeof createServer>, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It does not listen on a port')
  return address.port
}

test('certificate-expiry reads certificates of files each time, and sets its field', async () => {
  await certificate(90)
  for (const _ of ['first', 'second']) {
    const told = await machine.run('python/certificate-expiry', { files: '/srv/cert.pem,/srv/*.pem', field: 'tls_end' })
    expect(told.stdout).toMatch(/^::muster-field tls_end=\S+Z\nok: 2 certificates are valid for more than 30 days\n$/)
    expect(told).toMatchObject({ exitCode: 0, stderr: '' })
  }
})

test('certificate-expiry reads the end that openssl reads, also after 2050', async () => {
  for (const days of [90, 20_000]) {
    await certificate(days)
    const { stdout } = await machine.shell('openssl x509 -in /srv/cert.pem -noout -enddate -dateopt iso_8601')
    const end = stdout.trim().replace('notAfter=', '').replace(' ', 'T')
    const told = await machine.run('python/certificate-expiry', { files: '/srv/cert.pem', field: 'end' })
    expect(told.stdout.split('\n')[0]).toBe(`::muster-field end=${end}`)
  }
})

test('certificate-expiry warns about certificates that end soon, in files and of servers', async () => {
  await certificate(10)
  const [key, cert] = await Promise.all(['srv/key.pem', 'srv/cert.pem'].map((name) => machine.read(name)))
  const server = createTlsServer({ key, cert })
  const port = await listen(server)
  const parameters = { files: '/srv/cert.pem,/srv/missing', servers: `127.0.0.1:${port}` }
  const { exitCode, stdout } = await machine.run('python/certificate-expiry', parameters)
  server.close()
  expect(exitCode).toBe(2)
  const date = String.raw`expires on \d{4}-\d\d-\d\d \d\d:\d\d UTC`
  const lines = [`/srv/cert\\.pem: ${date}`, '/srv/missing: no such file', `127\\.0\\.0\\.1:${port}: ${date}`]
  expect(stdout).toMatch(new RegExp(`^warning: 3 certificates need attention, 2 were read\n${lines.join('\n')}\n$`))
})

test.each([
  [{}, 'give files or servers'],
  [{ files: 'cert.pem' }, 'files must be absolute paths or patterns: cert.pem'],
  [{ files: '/etc/passwd' }, 'the files hold no certificate'],
  [{ servers: 'a b' }, 'servers must be names with ports: a b'],
  [{ servers: 'host', days: 0 }, 'days must be a number from 1 to 9999'],
])('certificate-expiry refuses %j', async (parameters, problem) => {
  const told = await machine.run('python/certificate-expiry', parameters)
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

test('network-reach reaches names and ports each time, and warns about others', async () => {
  const server = createServer()
  const port = await listen(server)
  const run = () => machine.run('python/network-reach', { targets: `127.0.0.1:${port}, localhost` })
  await machine.write('etc/hosts', '127.0.0.1 localhost\n')
  for (const _ of ['first', 'second']) {
    const told = await run()
    expect(told).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ok: 2 targets answer, the slowest after \d+ ms\n$/),
    })
  }
  server.close()
  const { exitCode, stdout } = await run()
  expect(exitCode).toBe(2)
  expect(stdout).toMatch(new RegExp(`^warning: 1 of 2 targets do not answer\n127.0.0.1:${port}: .*refused\n$`))
})

test.each([
  [{ targets: '' }, 'targets must not be empty'],
  [{ targets: 'host:70000' }, 'targets must be names or addresses, with or without ports: host:70000'],
  [{ targets: '$(id)' }, 'targets must be names or addresses, with or without ports: $(id)'],
  [{ targets: 'a', seconds: 0 }, 'seconds must be a number from 1 to 60'],
])('network-reach refuses %j', async (parameters, problem) => {
  const told = await machine.run('python/network-reach', parameters)
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

test('listening-ports warns about a port that is not on the list, each time, and not about loopback', async () => {
  const [open, inner] = [createServer(), createServer()]
  const port = await listen(open, '0.0.0.0')
  const hidden = await listen(inner)
  const others = [`1-${port - 1}`, `${port + 1}-65535/tcp`].join(',')
  for (const _ of ['first', 'second']) {
    const told = await machine.run('python/listening-ports', { allowed: others })
    expect(told.exitCode).toBe(2)
    expect(told.stdout).toMatch(new RegExp(`^warning: 1 of \\d+ listening ports are not on the list\n${port}/tcp\n$`))
  }
  const all = await machine.run('python/listening-ports', { protocols: 'both' })
  expect(all.stdout).not.toContain(`${hidden}/tcp`)
  open.close()
  inner.close()
})

test('listening-ports accepts ports on the list, and refuses what is no port', async () => {
  const told = await machine.run('python/listening-ports', { allowed: '1-65535', protocols: 'both' })
  expect(told).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^ok: all \d+ listening ports are on the list\n$/),
  })
  const wrong = await machine.run('python/listening-ports', { allowed: '22/icmp' })
  expect(wrong.stderr).toBe('error: allowed must be ports such as 22/tcp or 5000-5999: 22/icmp\n')
})

/** A time server whose clock is ahead of this one. */
async function timeServer(aheadMs: number, change: (answer: Buffer) => void = () => undefined) {
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const answer = Buffer.alloc(48)
    answer.writeUInt8(0x24, 0)
    answer.writeUInt8(2, 1)
    question.copy(answer, 24, 40, 48)
    const seconds = (Date.now() + aheadMs) / 1000 + 2_208_988_800
    for (const at of [32, 40]) {
      answer.writeUInt32BE(Math.floor(seconds), at)
      answer.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32), at + 4)
    }
    change(answer)
    socket.send(answer, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { server: `127.0.0.1:${socket.address().port}`, [Symbol.dispose]: () => socket.close() }
}

test('time-offset measures a clock that is right, each time', async () => {
  using clock = await timeServer(0)
  for (const _ of ['first', 'second']) {
    const told = await machine.run('python/time-offset', { server: clock.server })
    expect(told).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ok: the clock is within \d+ ms of 127\.0\.0\.1/),
    })
  }
})

test('time-offset warns about a clock that is behind, and sets its field', async () => {
  using clock = await timeServer(60_000)
  const { exitCode, stdout } = await machine.run('python/time-offset', { server: clock.server, field: 'offset' })
  expect(exitCode).toBe(2)
  const [, ms] =
    /^::muster-field offset=(\d+)\nwarning: the clock is \1 ms behind 127\.0\.0\.1:\d+\n$/.exec(stdout) ?? []
  expect(Math.abs(Number(ms) - 60_000)).toBeLessThan(1000)
})

test.each([
  [
    'belongs to another question',
    (answer: Buffer) => answer.writeUInt8(1, 24),
    'its answer does not belong to the question',
  ],
  ['is not synchronized', (answer: Buffer) => answer.writeUInt8(16, 1), 'it is not synchronized'],
])('time-offset fails where the answer %s', async (_, change, problem) => {
  using clock = await timeServer(0, change)
  const told = await machine.run('python/time-offset', { server: clock.server })
  expect(told).toMatchObject({ exitCode: 1, stderr: `error: ${clock.server} does not tell the time: ${problem}\n` })
})

test('time-offset refuses what is no name', async () => {
  const told = await machine.run('python/time-offset', { server: 'a b' })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: server must be a name or an address\n' })
})
