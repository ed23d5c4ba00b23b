import { chmod, stat, symlink } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptMachine } from '../testing/script-machine.ts'

let machine: ScriptMachine
beforeEach(async () => {
  machine = await ScriptMachine.create()
}, 600_000)
afterEach(() => machine[Symbol.asyncDispose]())

test('config-line adds a line once, and removes it', async () => {
  await machine.write('etc/app.conf', 'a=1\n\\tb "$x"')
  await chmod(machine.path('etc/app.conf'), 0o640)
  const run = (state: string) =>
    machine.run('linux/config-line', { path: '/etc/app.conf', line: 'c = "\\n $(id)"', state })
  expect(await run('present')).toMatchObject({ exitCode: 0, stdout: 'changed: the line is present in /etc/app.conf\n' })
  expect(await run('present')).toMatchObject({
    exitCode: 0,
    stdout: 'unchanged: the line is present in /etc/app.conf\n',
  })
  expect(await machine.read('etc/app.conf')).toBe('a=1\n\\tb "$x"\nc = "\\n $(id)"\n')
  expect((await stat(machine.path('etc/app.conf'))).mode & 0o777).toBe(0o640)
  expect(await run('absent')).toMatchObject({ exitCode: 0, stdout: 'changed: the line is absent in /etc/app.conf\n' })
  expect(await run('absent')).toMatchObject({ exitCode: 0, stdout: 'unchanged: the line is absent in /etc/app.conf\n' })
  expect(await machine.read('etc/app.conf')).toBe('a=1\n\\tb "$x"\n')
})

test('config-line replaces the lines with a beginning by one', async () => {
  await machine.write('etc/app.conf', 'x\nport=1\ny\nport=2\n')
  await machine.run('linux/config-line', { path: '/etc/app.conf', line: 'port=3', replace: 'port=' })
  expect(await machine.read('etc/app.conf')).toBe('x\nport=3\ny\n')
})

test.each([
  ['/etc/../root/x', 'path must not contain ., .. or //'],
  ['/root/x', 'path must be a file below /etc'],
  ['/etc/shadow', '/etc/shadow must not be changed line by line'],
  ['/etc/link', '/etc/link is not a regular file, or a link leads to it'],
  ['/etc/missing', '/etc/missing is not a regular file, or a link leads to it'],
])('config-line refuses %s', async (path, problem) => {
  await symlink('/etc/passwd', machine.path('etc/link'))
  const told = await machine.run('linux/config-line', { path, line: 'x' })
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

test('config-line refuses several lines', async () => {
  await machine.write('etc/app.conf', '')
  const told = await machine.run('linux/config-line', { path: '/etc/app.conf', line: 'a\nb' })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: line must be one line of text\n' })
})

const journal = (lines: number) =>
  `i=0; while [ $i -lt ${lines} ]; do echo "Nov 23 10:00:00 host sshd[$i]: error"; echo "Nov 23 10:00:00 host kernel: x"; i=$((i + 1)); done`

test('journal-errors counts errors each time', async () => {
  await machine.program('journalctl', journal(2))
  const stdout = '::muster-field errors=4\nok: 4 errors within 24 hours\n'
  for (const _ of ['first', 'second'])
    expect(await machine.run('linux/journal-errors', { field: 'errors' })).toEqual({ exitCode: 0, stdout, stderr: '' })
})

test('journal-errors warns about many errors, and says where most come from', async () => {
  await machine.program('journalctl', journal(60))
  const { exitCode, stdout } = await machine.run('linux/journal-errors', { hours: 1 })
  expect(exitCode).toBe(2)
  expect(stdout).toMatch(/^warning: 120 errors within 1 hours, most of them from:\n +60 sshd\n +60 kernel\n$/)
})

test('journal-errors finds none in an empty journal, and fails where it cannot be read', async () => {
  await machine.program('journalctl', '')
  expect((await machine.run('linux/journal-errors')).stdout).toBe('ok: 0 errors within 24 hours\n')
  await machine.program('journalctl', 'exit 1')
  expect(await machine.run('linux/journal-errors')).toMatchObject({
    exitCode: 1,
    stderr: 'error: the journal cannot be read\n',
  })
})

test('limit-journal writes its limit once', async () => {
  await machine.program('journalctl', 'echo "$*" >>/run/calls')
  await machine.program('systemctl', 'echo "$*" >>/run/calls')
  const run = () => machine.run('linux/limit-journal', { mebibytes: 200 })
  expect(await run()).toEqual({ exitCode: 0, stdout: 'changed: the journal is limited to 200M\n', stderr: '' })
  expect(await run()).toEqual({ exitCode: 0, stdout: 'unchanged: the journal is limited to 200M\n', stderr: '' })
  expect(await machine.read('etc/systemd/journald.conf.d/50-muster.conf')).toBe('[Journal]\nSystemMaxUse=200M\n')
  expect(await machine.read('run/calls')).toBe('restart systemd-journald\n--quiet --vacuum-size=200M\n')
})

test('limit-journal refuses a limit that is too low', async () => {
  const told = await machine.run('linux/limit-journal', { mebibytes: 1 })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: mebibytes must be a number from 16 to 100000\n' })
})

const ufw = `
  case "$*" in
    status) echo 'Status: active' ;;
    'show added') if [ -e /run/rules ]; then cat /run/rules; fi ;;
    allow*) echo "ufw $*" >>/run/rules ;;
    delete*) rm /run/rules ;;
  esac`

test('firewall-port opens and closes a port in ufw once', async () => {
  await machine.program('ufw', ufw)
  const run = (state: string) => machine.run('linux/firewall-port', { port: 443, state })
  expect(await run('open')).toEqual({ exitCode: 0, stdout: 'changed: 443/tcp is open in ufw\n', stderr: '' })
  expect(await run('open')).toEqual({ exitCode: 0, stdout: 'unchanged: 443/tcp is open in ufw\n', stderr: '' })
  expect(await run('closed')).toEqual({ exitCode: 0, stdout: 'changed: 443/tcp is closed in ufw\n', stderr: '' })
  expect(await run('closed')).toEqual({ exitCode: 0, stdout: 'unchanged: 443/tcp is closed in ufw\n', stderr: '' })
})

const firewalld = `
  case "$*" in
    *--permanent*) file=/run/permanent ;;
    *) file=/run/now ;;
  esac
  case "$*" in
    *query*) [ -e $file ] ;;
    *add*) touch $file ;;
    *remove*) rm $file ;;
  esac`

test('firewall-port opens a port in firewalld, now and for later starts', async () => {
  await machine.program('firewall-cmd', firewalld)
  const run = (state: string) => machine.run('linux/firewall-port', { port: 53, protocol: 'udp', state })
  expect((await run('open')).stdout).toBe('changed: 53/udp is open in firewalld\n')
  expect((await run('open')).stdout).toBe('unchanged: 53/udp is open in firewalld\n')
  expect((await run('closed')).stdout).toBe('changed: 53/udp is closed in firewalld\n')
})

test.each(['0', '65536', '22; id', ''])('firewall-port refuses the port %j', async (port) => {
  const told = await machine.run('linux/firewall-port', { port })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: port must be a number from 1 to 65535\n' })
})

test('firewall-port fails where no firewall is active', async () => {
  const told = await machine.run('linux/firewall-port', { port: 443 })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: neither ufw nor firewalld is active\n' })
})
