import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptMachine } from '../testing/script-machine.ts'

let machine: ScriptMachine
beforeEach(async () => {
  machine = await ScriptMachine.create()
}, 600_000)
afterEach(() => machine[Symbol.asyncDispose]())

/** apt with two updates, one of them for security, until they are installed. */
const apt = `
  for word; do case $word in update | install | remove | upgrade | dist-upgrade) action=$word; break ;; esac; done
  for package; do :; done
  case "$action $*" in
    install*only-upgrade*) touch /run/updated; echo "$*" >/run/installed ;;
    *upgrade*) if [ ! -e /run/updated ]; then
      echo 'Inst tzdata [2024a-1] (2024b-0 Debian:12.9/stable [all])'
      echo 'Inst openssl [3.0.1] (3.0.2 Debian-Security:12/stable-security [amd64])'
      echo 'Inst new-library (1.0 Debian:12.9/stable [amd64])'
    fi ;;
    install*missing) echo 'E: Unable to locate package missing'; exit 100 ;;
    install*) touch "/run/has-$package" ;;
    remove*--simulate*libc6) echo 'Remv libc6 [2.36]'; echo 'Remv bash [5.2]' ;;
    remove*--simulate*) echo "Remv $package [1]" ;;
    remove*) rm "/run/has-$package" ;;
  esac`
const dpkg = `
  for package; do :; done
  if [ -e "/run/has-$package" ]; then echo 'Status: install ok installed'; else exit 1; fi`

async function debian() {
  await machine.program('apt-get', apt)
  await machine.program('dpkg-query', dpkg)
}

/** A machine without apt: the folder of its programs hides those of the host. */
async function rpmMachine() {
  for (const tool of ['awk', 'cat', 'comm', 'grep', 'sort', 'tail', 'wc', 'rm', 'touch'])
    await machine.program(tool, `exec /usr/bin/${tool} "$@"`)
  await machine.program(
    'rpm',
    'case "$*" in *--all*) cat /run/rpms ;; *erase*) rm /run/has ;; *) [ -e /run/has ] ;; esac',
  )
  await machine.write('run/rpms', 'bash-5\n')
  machine.onlyOwnPrograms()
}

async function fedora(updates: string, code: number) {
  await rpmMachine()
  const check = `*check-update*) printf '${updates}'; exit ${code} ;;`
  const list = '*updateinfo*) echo "FEDORA-1 Important/Sec. openssl-3.0.2.x86_64" ;;'
  const upgrade = '*upgrade*) echo openssl-3.0.2 >>/run/rpms ;;'
  await machine.program('dnf', `case "$*" in ${check} ${list} ${upgrade} *install*) touch /run/has ;; esac`)
}

/** A machine with zypper, whose updates end with this code the first time. */
async function suse(code: number) {
  await rpmMachine()
  const once = `if [ ! -e /run/begun ]; then touch /run/begun; echo openssl-3.0.2 >>/run/rpms; echo done; exit ${code}; fi`
  const updates =
    "*list-updates*) echo 'v | Main | openssl | 1 | 2 | x86_64'; echo 'v | Main | tzdata | 1 | 2 | noarch' ;;"
  const patches = "*list-patches*) echo 'Main | SUSE-1 | security | important | --- | needed | x' ;;"
  await machine.program('zypper', `case "$*" in ${updates} ${patches} *install*) touch /run/has ;; *) ${once} ;; esac`)
}

test('ensure-package installs and removes a package once', async () => {
  await debian()
  const run = (state: string) => machine.run('linux/ensure-package', { package: 'htop', state })
  expect(await run('present')).toEqual({ exitCode: 0, stdout: 'changed: htop is present\n', stderr: '' })
  expect(await run('present')).toEqual({ exitCode: 0, stdout: 'unchanged: htop is present\n', stderr: '' })
  expect(await run('absent')).toEqual({ exitCode: 0, stdout: 'changed: htop is absent\n', stderr: '' })
  expect(await run('absent')).toEqual({ exitCode: 0, stdout: 'unchanged: htop is absent\n', stderr: '' })
})

test('ensure-package shows why an installation failed', async () => {
  await debian()
  const stderr = 'E: Unable to locate package missing\nerror: missing could not be installed\n'
  expect(await machine.run('linux/ensure-package', { package: 'missing' })).toEqual({ exitCode: 1, stdout: '', stderr })
})

test('ensure-package keeps a package that others need', async () => {
  await debian()
  await machine.write('run/has-libc6', '')
  const told = await machine.run('linux/ensure-package', { package: 'libc6', state: 'absent' })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: 1 other packages need libc6\n' })
})

test.each(['-y', 'a;b', '', 'a b', '../x.deb'])('ensure-package refuses %j as a package', async (name) => {
  await debian()
  const told = await machine.run('linux/ensure-package', { package: name })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: package must be the name of a package\n' })
})

test.each(['dnf', 'zypper'])('ensure-package uses %s where apt is missing', async (manager) => {
  await (manager === 'dnf' ? fedora('', 0) : suse(0))
  expect((await machine.run('linux/ensure-package', { package: 'htop' })).stdout).toBe('changed: htop is present\n')
  expect((await machine.run('linux/ensure-package', { package: 'htop' })).stdout).toBe('unchanged: htop is present\n')
  const gone = await machine.run('linux/ensure-package', { package: 'htop', state: 'absent' })
  expect(gone.stdout).toBe('changed: htop is absent\n')
})

test('pending-updates counts updates of apt each time, and warns about those for security', async () => {
  await debian()
  const stdout = '::muster-field updates=2\nwarning: 2 updates are pending, 1 of them for security\n'
  for (const refresh of [true, false])
    expect(await machine.run('linux/pending-updates', { field: 'updates', refresh })).toEqual({
      exitCode: 2,
      stdout,
      stderr: '',
    })
})

test('pending-updates counts updates of dnf', async () => {
  await fedora('\\nopenssl.x86_64 3.0.2 updates\\ntzdata.noarch 2024b updates\\n', 100)
  const stdout = 'warning: 2 updates are pending, 1 of them for security\n'
  expect(await machine.run('linux/pending-updates')).toEqual({ exitCode: 2, stdout, stderr: '' })
})

test('pending-updates counts updates of zypper', async () => {
  await suse(0)
  const stdout = 'warning: 2 updates are pending, 1 of them for security\n'
  expect(await machine.run('linux/pending-updates')).toEqual({ exitCode: 2, stdout, stderr: '' })
})

test('pending-updates fails where the package manager fails', async () => {
  await machine.program('apt-get', 'exit 100')
  const told = await machine.run('linux/pending-updates')
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: apt cannot plan an upgrade\n' })
})

test('install-updates installs only those for security unless told otherwise, and then has nothing to do', async () => {
  await debian()
  expect((await machine.run('linux/install-updates')).stdout).toBe('changed: 1 updates were installed\n')
  expect(await machine.read('run/installed')).toMatch(/ -- openssl\n$/)
  expect((await machine.run('linux/install-updates')).stdout).toBe('unchanged: no updates are pending (security)\n')
})

test('install-updates warns if the machine must restart', async () => {
  await debian()
  await machine.write('run/reboot-required', '')
  const told = await machine.run('linux/install-updates', { scope: 'all' })
  const stdout = 'warning: 2 updates were installed, and the machine must restart\n'
  expect(told).toEqual({ exitCode: 2, stdout, stderr: '' })
})

test('install-updates counts what dnf installed', async () => {
  await fedora('', 100)
  expect((await machine.run('linux/install-updates')).stdout).toBe('changed: 1 updates were installed\n')
})

test.each([
  [0, 0, 'changed: 1 updates were installed\n', ''],
  [102, 2, 'warning: 1 updates were installed, and the machine must restart\n', ''],
  [103, 0, 'changed: 1 updates were installed\n', ''],
  [4, 1, '', 'done\nerror: zypper could not install the updates\n'],
])('install-updates understands the exit code %i of zypper', async (code, exitCode, stdout, stderr) => {
  await suse(code)
  expect(await machine.run('linux/install-updates')).toEqual({ exitCode, stdout, stderr })
})

test('install-updates fails with the last lines of the package manager', async () => {
  await machine.program('apt-get', 'echo "E: no network"; exit 100')
  const told = await machine.run('linux/install-updates')
  expect(told).toMatchObject({
    exitCode: 1,
    stderr: 'E: no network\nerror: the package lists could not be refreshed\n',
  })
})

test('reboot-required says no each time, and sets its field', async () => {
  await debian()
  for (const _ of ['first', 'second']) {
    const told = await machine.run('linux/reboot-required', { field: 'restart' })
    expect(told).toEqual({
      exitCode: 0,
      stdout: '::muster-field restart=false\nok: no restart is needed\n',
      stderr: '',
    })
  }
})

test('reboot-required warns if installed packages ask for a restart', async () => {
  await machine.write('run/reboot-required', '')
  const stdout = 'warning: the machine must restart: installed packages ask for a restart\n'
  expect(await machine.run('linux/reboot-required')).toEqual({ exitCode: 2, stdout, stderr: '' })
})

test('reboot-required asks needs-restarting where it is installed', async () => {
  await machine.program('needs-restarting', 'exit 1')
  const stdout = 'warning: the machine must restart: core libraries or the kernel were updated\n'
  expect(await machine.run('linux/reboot-required')).toEqual({ exitCode: 2, stdout, stderr: '' })
})

test('reboot-required refuses a field that cannot be one', async () => {
  const told = await machine.run('linux/reboot-required', { field: 'a=b' })
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: field must be the key of a custom field\n' })
})
