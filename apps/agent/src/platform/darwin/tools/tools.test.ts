import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { darwinOn } from '../darwin.ts'
import { nextLaunch, scheduleOf } from '../launchd/launch-schedule.ts'
import { parseDisabled, parseDomain, parseList, parseService } from '../launchd/launchctl-output.ts'
import { type Answers, type FakeMac, fakeMac } from '../testing/fake-mac.ts'
import { launchctlService, recorded } from '../testing/recorded.ts'

const plist = (label: string, inner: string) => `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>Label</key><string>${label}</string>
<key>ProgramArguments</key><array><string>/usr/local/bin/back up</string><string>--all</string></array>
${inner}</dict></plist>
`
const calendar = `<key>StartCalendarInterval</key><array>
<dict><key>Hour</key><integer>3</integer><key>Minute</key><integer>15</integer></dict>
<dict><key>Weekday</key><integer>1</integer></dict></array>`
const notFound = 'Could not find service "x" in domain for system\n'

const launchd: Answers = {
  ...recorded,
  dscl: [
    ...(recorded.dscl ?? []),
    ['*"/Users/ann "*', 'NFSHomeDirectory: /Users/ann smith\nPrimaryGroupID: 20\nUniqueID: 501\n'],
  ],
  launchctl: [
    ['"print system"', launchctlServices()],
    ['"print-disabled system"', 'disabled services = {\n\t"com.example.paused" => disabled\n}\n'],
    ['"print system/com.apple.mDNSResponder"', launchctlService],
    [
      '"print system/com.example.backup"',
      'system/com.example.backup = {\n\tstate = not running\n\truns = 1\n\tlast exit code = 0\n}\n',
    ],
    ['"print system/"*', notFound, 113],
    ['"kickstart -k system/com.apple.mDNSResponder"', '', 0],
    [
      '"kickstart system/com.example.protected"',
      'Could not kickstart service: 150: Operation not permitted while System Integrity Protection is engaged\n',
      150,
    ],
    ['"bootout system/com.apple.mDNSResponder"', 'Boot-out failed: 36: Operation now in progress\n', 36],
    ['"bootstrap system "*|"kickstart system/"*|"enable "*|"disable "*|"bootout "*|"kill "*', ''],
  ],
  plutil: [['*', plist('com.apple.binary', '<key>StartInterval</key><integer>3600</integer>')]],
  shutdown: [['*', 'shutdown: NOT super-user\n', 1]],
}

function launchctlServices(): string {
  return 'com.apple.xpc.launchd.domain.system = {\n\tservices = {\n\t\t353 - \tcom.apple.mDNSResponder\n\t}\n}\n'
}

let mac: FakeMac
const tools = () => darwinOn(mac.mac).tools([])
beforeAll(async () => {
  mac = await fakeMac(launchd)
  await mac.file('Library/LaunchDaemons/com.example.backup.plist', plist('com.example.backup', calendar))
  await mac.file(
    'Library/LaunchDaemons/com.example.paused.plist',
    plist(
      'com.example.paused',
      '<key>StartInterval</key><integer>60</integer><key>UserName</key><string>_backup</string>',
    ),
  )
  await mac.file('Library/LaunchDaemons/com.example.protected.plist', plist('com.example.protected', ''))
  await mac.file('Library/LaunchDaemons/damaged.plist', '<plist><dict><key>StartInterval</key>')
  await mac.file(
    'System/Library/LaunchDaemons/com.apple.binary.plist',
    Buffer.from('bplist00\u0000StartInterval\u0000com.apple.binary'),
  )
  await mac.file('private/var/at/tabs/ann', '# comment\n*/5 * * * * /usr/bin/true\n')
})
afterAll(() => mac[Symbol.asyncDispose]())

describe('services of launchd', () => {
  test('are shown in full', async () => {
    expect(await tools().services.detail('com.apple.mDNSResponder')).toEqual({
      ...{ name: 'com.apple.mDNSResponder', displayName: null, state: 'running', startup: 'enabled', mainPid: 353 },
      ...{ result: '(never exited)', restarts: 2, tasks: null, requires: [], after: [] },
      ...{ memoryBytes: expect.any(Number), activeSince: expect.any(String), user: '_mdnsresponder' },
      unitFile: '/System/Library/LaunchDaemons/com.apple.mDNSResponder.plist',
      command: '/usr/sbin/mDNSResponder -debug mode',
    })
    await expect(tools().services.detail('com.example.absent')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('that are kept alive are unloaded to stop, and restarted in place', async () => {
    expect(await tools().services.control('com.apple.mDNSResponder', 'restart')).toMatchObject({ state: 'running' })
    await tools().services.control('com.apple.mDNSResponder', 'stop')
    const asked = await mac.asked()
    expect(asked).toContain('launchctl kickstart -k system/com.apple.mDNSResponder')
    expect(asked).toContain('launchctl bootout system/com.apple.mDNSResponder')
  })

  test('that are not loaded are loaded to start, and refusals of macOS are passed on', async () => {
    await tools().services.control('com.example.paused', 'start')
    const asked = await mac.asked()
    expect(asked).toContain(`launchctl bootstrap system ${mac.path}/Library/LaunchDaemons/com.example.paused.plist`)
    expect(asked).toContain('launchctl kickstart system/com.example.paused')
    const refused = tools().services.control('com.example.protected', 'start')
    await expect(refused).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
    await expect(refused).rejects.toThrow('System Integrity Protection')
    for (const name of ['com.example.absent', '-k', 'a/b'])
      await expect(tools().services.control(name, 'start')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(tools().services.control('com.example.absent', 'stop')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('of which that of the agent is not ended', async () => {
    for (const action of ['stop', 'restart'] as const)
      await expect(tools().services.control('com.muster.agent', action)).rejects.toMatchObject({
        code: 'DENIED',
        message: 'com.muster.agent is the service of the agent, which must not be stopped through itself',
      })
    expect((await mac.asked()).filter((words) => words.includes('system/com.muster.agent'))).toEqual([])
  })

  test('are read from each form that launchctl prints', () => {
    expect(parseList('PID\tStatus\tLabel\n-\t78\tcom.example.broken\n12\t0\tcom.example.a b\n')).toEqual([
      { label: 'com.example.broken', pid: null, exitCode: 78 },
      { label: 'com.example.a b', pid: 12, exitCode: 0 },
    ])
    expect([...parseDisabled('\t"a" => true\n\t"b" => false\n\t"c" => disabled\n\t"d" => enabled\nrubbish\n')]).toEqual(
      [
        ['a', true],
        ['b', false],
        ['c', true],
        ['d', false],
      ],
    )
    for (const text of ['', 'Could not find service', '}\n}\n']) {
      expect(parseService(text)).toBeUndefined()
      expect(parseDomain(text)).toEqual([])
    }
  })
})

describe('scheduled tasks', () => {
  const nameOf = (path: string) => path.replace(/:[0-9a-f]{8}$/, ':…')

  test('are services with a schedule, in XML or binary, and lines of crontabs', async () => {
    const { tasks } = await tools().tasks.list()
    expect(tasks.map(({ path, schedule, user, enabled }) => [nameOf(path), schedule, user, enabled])).toEqual([
      ['timer:com.example.backup', 'Hour=3 Minute=15; Weekday=1', 'root', true],
      ['timer:com.example.paused', 'StartInterval=60', '_backup', false],
      ['timer:com.apple.binary', 'StartInterval=3600', 'root', true],
      ['cron:/private/var/at/tabs/ann:…', '*/5 * * * *', 'ann', true],
    ])
    expect(tasks[0]).toMatchObject({ command: '/usr/local/bin/back up --all', nextRunAt: expect.any(String) })
    expect(tasks[1]?.nextRunAt).toBeNull()
  })

  test('run, and are enabled and disabled for good', async () => {
    await tools().tasks.run('timer:com.example.backup')
    await tools().tasks.switch('timer:com.example.backup', false)
    await tools().tasks.switch('timer:com.example.paused', true)
    const asked = await mac.asked()
    for (const words of [
      'kickstart system/com.example.backup',
      'disable system/com.example.backup',
      'bootout system/com.example.backup',
      'enable system/com.example.paused',
      `bootstrap system ${mac.path}/Library/LaunchDaemons/com.example.paused.plist`,
    ])
      expect(asked).toContain(`launchctl ${words}`)
  })

  test('show their definition', async () => {
    const { definition } = await tools().tasks.detail('timer:com.example.backup')
    expect(definition).toContain('<key>StartCalendarInterval</key>')
    expect((await tools().tasks.detail('timer:com.apple.binary')).definition).toContain('"StartInterval": 3600')
  })

  test.each(['timer:com.example.absent', 'timer:com.example.protected', 'timer:-k', 'timer:a/b', 'cron:/x:00000000'])(
    'that do not exist are reported: %s',
    async (path) => {
      const { detail, run, history } = tools().tasks
      for (const call of [() => detail(path), () => run(path), () => history({ path, limit: 1 })])
        await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    },
  )

  test('run next at the earliest of their entries', () => {
    const entry = { Label: 'x', file: '/x' }
    const from = new Date(2026, 10, 22, 12, 0).getTime()
    const next = (StartCalendarInterval: Record<string, number> | Record<string, number>[]) =>
      new Date(nextLaunch({ ...entry, StartCalendarInterval }, from) ?? 0).getTime()
    expect(next({ Hour: 3, Minute: 15 })).toBe(new Date(2026, 10, 23, 3, 15).getTime())
    expect(next([{ Hour: 3 }, { Minute: 30 }])).toBe(new Date(2026, 10, 22, 12, 30).getTime())
    expect(next({})).toBe(new Date(2026, 10, 22, 12, 1).getTime())
    expect(nextLaunch({ ...entry, StartCalendarInterval: { Hour: 99 } }, from)).toBeNull()
    expect(scheduleOf({ ...entry, StartCalendarInterval: {} })).toBe('every minute')
  })
})

describe('processes', () => {
  test('are listed with names, owners and threads', async () => {
    const { processes, truncated } = await tools().processes.list()
    expect(truncated).toBe(false)
    expect(processes.map(({ pid, name, user, threads }) => [pid, name, user, threads])).toEqual([
      [1, 'launchd', 'root', 2],
      [353, 'mDNSResponder', '65', 1],
      [900, 'Über Editor', 'ann', 1],
      [901, '(gone)', "bob.o'neil", 1],
    ])
  })

  test('refuses to kill launchd', async () => {
    await expect(tools().processes.kill({ pid: 1, signal: 'KILL' })).rejects.toMatchObject({ code: 'DENIED' })
  })
})

test('shuts down with a message, and passes a refusal on', async () => {
  const { power } = tools()
  const command = await power.command('reboot', 'Back soon')
  expect(command).toEqual(['shutdown', '-r', 'now', 'Back soon'])
  expect(await power.command('shutdown', undefined)).toEqual(['shutdown', '-h', 'now'])
  await expect(power.run(command)).rejects.toThrow('NOT super-user')
  expect(await mac.asked()).toContain('shutdown -r now Back soon')
})

test('lists text files of the system log beside the unified log', async () => {
  await mac.file('var/log/install.log', '2026-11-20 06:25:01+00 mac installd[9]: Installed "X"\n')
  await mkdir(join(mac.path, 'var/db/diagnostics/Persist'), { recursive: true })
  await mac.file('var/db/diagnostics/Persist/0001.tracev3', 'x'.repeat(100))
  const { logs } = await tools().eventLogs.list()
  expect(logs.map(({ name, source, sizeBytes }) => [name, source, sizeBytes])).toEqual([
    ['unified', 'journal', 100],
    ['install.log', 'file', 54],
  ])
  const { events } = await tools().eventLogs.events({ name: 'install.log', limit: 5 })
  expect(events[0]?.message).toContain('Installed "X"')
})
