import { chmod } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptMachine } from '../testing/script-machine.ts'

let machine: ScriptMachine
beforeEach(async () => {
  machine = await ScriptMachine.create()
}, 600_000)
afterEach(() => machine[Symbol.asyncDispose]())

/** systemd with one service: it keeps what was done to it in files below /run. */
const systemd = `
  for unit; do :; done
  case $1 in
    show) case $2 in *NRestarts) echo 0 ;; *) if [ "$unit" = web.service ]; then echo loaded; else echo not-found; fi ;; esac ;;
    is-enabled) if [ -e /run/enabled ]; then echo enabled; else echo disabled; exit 1; fi ;;
    is-active) [ -e /run/active ] ;;
    enable) touch /run/enabled ;;
    disable) rm /run/enabled ;;
    start) if [ -e /run/broken ]; then exit 1; fi; touch /run/active ;;
    stop) rm /run/active ;;
  esac`

test('failed-services finds none on a healthy machine', async () => {
  await machine.program('systemctl', '')
  expect(await machine.run('linux/failed-services')).toEqual({
    exitCode: 0,
    stdout: 'ok: no unit has failed\n',
    stderr: '',
  })
})

test('failed-services names failed units each time, except ignored ones', async () => {
  const line = (unit: string) => `echo '${unit} loaded failed failed A unit'`
  await machine.program('systemctl', [line('web.service'), line('db.service'), line('x.timer')].join('\n'))
  for (const _ of ['first', 'second']) {
    const told = await machine.run('linux/failed-services', { ignore: 'db.service,other.service' })
    expect(told).toEqual({ exitCode: 2, stdout: 'warning: 2 units have failed\nweb.service\nx.timer\n', stderr: '' })
  }
})

test('failed-services fails where systemd does not answer', async () => {
  await machine.program('systemctl', 'exit 1')
  expect(await machine.run('linux/failed-services')).toMatchObject({
    exitCode: 1,
    stderr: 'error: systemd does not answer\n',
  })
  const wrong = await machine.run('linux/failed-services', { ignore: '$(id)' })
  expect(wrong).toMatchObject({ exitCode: 1, stderr: 'error: ignore must be names of units, separated by commas\n' })
})

test('ensure-service starts and enables a service once, and stops it again', async () => {
  await machine.program('systemctl', systemd)
  const run = (state: string, atBoot: string) =>
    machine.run('linux/ensure-service', { service: 'web', state, at_boot: atBoot })
  expect((await run('running', 'enabled')).stdout).toBe('changed: web was enabled and started\n')
  expect((await run('running', 'enabled')).stdout).toBe('unchanged: web is running\n')
  expect((await run('stopped', 'disabled')).stdout).toBe('changed: web was disabled and stopped\n')
  expect((await run('stopped', 'unchanged')).stdout).toBe('unchanged: web is stopped\n')
})

test.each([
  [{ service: 'absent' }, 'there is no service absent'],
  [{ service: 'web' }, 'web did not start'],
  [{ service: '--now' }, 'service must be the name of a service'],
  [{ service: 'web; reboot' }, 'service must be the name of a service'],
  [{ service: 'muster-agent', state: 'stopped' }, 'muster-agent must not be stopped or disabled'],
  [{ service: 'web', state: 'gone' }, 'state must be running or stopped'],
])('ensure-service refuses %j', async (parameters, problem) => {
  await machine.program('systemctl', systemd)
  await machine.write('run/broken', '')
  const told = await machine.run('linux/ensure-service', parameters)
  expect(told).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${problem}\n` })
})

test('container-health reports running containers each time', async () => {
  await machine.program(
    'docker',
    'echo "web|Up 2 hours (healthy)"; echo "job|Exited (0) 1 hour ago"; echo "db|Up 3 days"',
  )
  for (const _ of ['first', 'second']) {
    const told = await machine.run('linux/container-health')
    expect(told).toEqual({ exitCode: 0, stdout: 'ok: 2 containers run in docker\n', stderr: '' })
  }
})

test('container-health warns about containers in trouble, except ignored ones', async () => {
  const lines = ['web|Up 2 hours (unhealthy)', 'job|Exited (137) 1 hour ago', 'loop|Restarting (1) 2 s ago', 'old|Dead']
  await machine.program('podman', lines.map((line) => `echo '${line}'`).join('\n'))
  const told = await machine.run('linux/container-health', { ignore: 'old' })
  const stdout = [
    'warning: 3 containers need attention',
    ...lines.slice(0, 3).map((line) => line.replace('|', ': ')),
    '',
  ]
  expect(told).toEqual({ exitCode: 2, stdout: stdout.join('\n'), stderr: '' })
})

test('container-health fails without an engine, and where it does not answer', async () => {
  const without = await machine.run('linux/container-health')
  expect(without).toMatchObject({ exitCode: 1, stderr: 'error: neither docker nor podman is installed\n' })
  await machine.program('docker', 'exit 1')
  expect(await machine.run('linux/container-health')).toMatchObject({
    exitCode: 1,
    stderr: 'error: docker does not answer\n',
  })
})

test('agent-health checks the service and the data folder each time', async () => {
  await machine.program('systemctl', systemd)
  await machine.write('run/systemd/system/unit', '')
  await machine.write('run/active', '')
  await machine.write('run/enabled', '')
  await machine.write('var/lib/muster-agent/identity', '')
  await chmod(machine.path('var/lib/muster-agent'), 0o700)
  for (const _ of ['first', 'second']) {
    const told = await machine.run('linux/agent-health', { free_mebibytes: 1 })
    expect(told).toEqual({ exitCode: 0, stdout: 'ok: the agent is healthy\n', stderr: '' })
  }
})

test('agent-health warns about a stopped service and an open data folder', async () => {
  await machine.program('systemctl', systemd)
  await machine.write('run/systemd/system/unit', '')
  await machine.write('var/lib/muster-agent/identity', '')
  await chmod(machine.path('var/lib/muster-agent'), 0o755)
  const { exitCode, stdout } = await machine.run('linux/agent-health', { free_mebibytes: 1 })
  expect(exitCode).toBe(2)
  expect(stdout).toContain('/var/lib/muster-agent is open to other users\nmuster-agent.service does not run\n')
})

test('agent-health fails where no agent is installed', async () => {
  const told = await machine.run('linux/agent-health')
  expect(told).toMatchObject({ exitCode: 1, stderr: 'error: there is no folder /var/lib/muster-agent\n' })
})
