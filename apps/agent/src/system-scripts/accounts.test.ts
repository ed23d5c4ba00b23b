import { chown, stat, symlink } from 'node:fs/promises'
import { debianPackages } from '@muster/testkit/debian.ts'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ScriptMachine } from '../testing/script-machine.ts'

const key = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'B'.repeat(42)}C jane@example.com`
const other = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'D'.repeat(42)}E`

let machine: ScriptMachine
beforeAll(() => debianPackages('/usr/sbin/sshd', 'openssh-server'), 600_000)
beforeEach(async () => {
  machine = await ScriptMachine.create()
}, 600_000)
afterEach(() => machine[Symbol.asyncDispose]())

test('ensure-user creates a user in its groups once', async () => {
  const run = () => machine.run('linux/ensure-user', { user: 'jane', groups: 'sudo,docker' })
  const stdout = 'changed: jane was created, added to sudo, added to docker\n'
  expect(await run()).toEqual({ exitCode: 0, stdout, stderr: '' })
  expect(await run()).toEqual({ exitCode: 0, stdout: 'unchanged: jane is present\n', stderr: '' })
  expect(await machine.read('etc/group')).toMatch(/^sudo:x:27:jane$/m)
  expect(await machine.read('etc/passwd')).toMatch(/^jane:x:\d{4}:\d{4}::\/home\/jane:\/bin\/bash$/m)
})

test('ensure-user locks a user once, and unlocks it', async () => {
  const run = (more: object = {}) => machine.run('linux/ensure-user', { user: 'jane', ...more })
  await run()
  expect((await run({ state: 'locked' })).stdout).toBe('changed: jane was locked\n')
  expect((await run({ state: 'locked' })).stdout).toBe('unchanged: jane is locked\n')
  expect(await machine.read('etc/shadow')).toMatch(/^jane:!.*:1:$/m)
  expect((await run()).stdout).toBe('changed: jane was unlocked\n')
  expect((await run({ shell: '/bin/sh' })).stdout).toBe('changed: jane was given the shell /bin/sh\n')
  expect(await machine.read('etc/shadow')).toMatch(/^jane:!.*::$/m)
})

test.each([
  [{ user: 'root' }, 'root is an account of the system'],
  [{ user: 'jane', state: 'locked' }, 'there is no user jane'],
  [{ user: '-o' }, 'user must be the name of a user'],
  [{ user: 'jane', groups: 'sudo,$(id)' }, 'groups must be names of groups, separated by commas'],
  [{ user: 'jane', shell: '/no/shell' }, 'there is no shell /no/shell'],
])('ensure-user refuses %j', async (parameters, problem) => {
  const told = await machine.run('linux/ensure-user', parameters)
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

test('ssh-authorized-key adds and removes a key once, as the user', async () => {
  await machine.run('linux/ensure-user', { user: 'jane' })
  await machine.write('home/jane/.ssh/authorized_keys', `# keys\n${other}`)
  const { uid, gid } = await stat(machine.path('home/jane'))
  for (const name of ['.ssh', '.ssh/authorized_keys']) await chown(machine.path(`home/jane/${name}`), uid, gid)
  const run = (state: string) => machine.run('linux/ssh-authorized-key', { user: 'jane', key, state })
  expect(await run('present')).toEqual({ exitCode: 0, stdout: 'changed: the key is present for jane\n', stderr: '' })
  expect(await run('present')).toEqual({ exitCode: 0, stdout: 'unchanged: the key is present for jane\n', stderr: '' })
  expect(await machine.read('home/jane/.ssh/authorized_keys')).toBe(`# keys\n${other}\n${key}\n`)
  const written = await stat(machine.path('home/jane/.ssh/authorized_keys'))
  expect([written.uid, written.gid, written.mode & 0o777]).toEqual([uid, gid, 0o600])
  expect((await run('absent')).stdout).toBe('changed: the key is absent for jane\n')
  expect((await run('absent')).stdout).toBe('unchanged: the key is absent for jane\n')
  expect(await machine.read('home/jane/.ssh/authorized_keys')).toBe(`# keys\n${other}\n`)
})

test('ssh-authorized-key makes the folder of root where it is missing', async () => {
  expect(await machine.run('linux/ssh-authorized-key', { user: 'root', key })).toMatchObject({
    exitCode: 0,
    stderr: '',
  })
  expect((await stat(machine.path('root/.ssh'))).mode & 0o777).toBe(0o700)
})

test('ssh-authorized-key does not follow a link to where the user may not write', async () => {
  await machine.run('linux/ensure-user', { user: 'jane' })
  await machine.write('root/folder/kept', '')
  await symlink('/root/folder', machine.path('home/jane/.ssh'))
  const told = await machine.run('linux/ssh-authorized-key', { user: 'jane', key })
  expect(told).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('error: the keys of jane could not be changed\n'),
  })
})

test.each([
  [{ user: 'nouser', key }, 'there is no user nouser'],
  [{ user: 'root', key: `command="id" ${key}` }, 'key must be one public key of OpenSSH without options'],
  [{ user: 'root', key: 'ssh-ed25519 short' }, 'key must be one public key of OpenSSH without options'],
  [{ user: 'root', key, state: 'x' }, 'state must be present or absent'],
])('ssh-authorized-key refuses %j', async (parameters, problem) => {
  const told = await machine.run('linux/ssh-authorized-key', parameters)
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

/** A server whose keys and folder exist, as after its installation. */
async function sshServer(before = '') {
  const settings = [before, 'Include /etc/ssh/sshd_config.d/*.conf', 'HostKey /etc/ssh/key', 'UsePAM no', '']
  await machine.write('etc/ssh/sshd_config', settings.join('\n'))
  await machine.write('run/sshd/kept', '')
  await machine.write(
    'etc/passwd',
    `${await machine.read('etc/passwd')}sshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n`,
  )
  await machine.write('root/.ssh/authorized_keys', `${key}\n`)
  await machine.shell('ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/key')
}

test('ssh-hardening restricts sshd once', async () => {
  await sshServer()
  const run = (more: object = {}) => machine.run('linux/ssh-hardening', { root_login: 'no', ...more })
  expect(await run()).toEqual({ exitCode: 0, stdout: 'changed: the restrictions apply when sshd starts\n', stderr: '' })
  expect(await run()).toEqual({ exitCode: 0, stdout: 'unchanged: the restrictions are in place\n', stderr: '' })
  const file = 'PermitRootLogin no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxAuthTries 4\n'
  expect(await machine.read('etc/ssh/sshd_config.d/00-muster.conf')).toBe(file)
  expect((await run({ passwords: true, root_login: 'prohibit-password' })).stdout).toMatch(/^changed: /)
})

test('ssh-hardening restores the configuration where an earlier line overrides it', async () => {
  await sshServer('MaxAuthTries 9')
  const told = await machine.run('linux/ssh-hardening')
  const stderr = 'error: another file overrides MaxAuthTries; the previous configuration is back\n'
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr })
  await expect(machine.read('etc/ssh/sshd_config.d/00-muster.conf')).rejects.toThrow('ENOENT')
})

test('ssh-hardening keeps passwords where no user has a key', async () => {
  await sshServer()
  await machine.write('root/.ssh/authorized_keys', '')
  const told = await machine.run('linux/ssh-hardening')
  const stderr = 'error: no user has an authorized key, so passwords must stay allowed\n'
  expect(told).toMatchObject({ exitCode: 1, stderr })
})
