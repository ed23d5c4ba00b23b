import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WriteFile } from '@muster/wire/commands/files.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/test-agent.ts'
import { createFileTools } from '../files/file-tools.ts'
import { parseLine } from '../posix/log-files.ts'
import { createEventLogTools } from './event-log-tools.ts'
import { guardedFolders } from './held-folders.ts'
import { createTools } from './linux-tools.ts'
import { createPowerTools } from './power.ts'
import { parseStat } from './processes.ts'
import { createServiceTools } from './service-tools.ts'
import type { Host } from './systemd.ts'
import { momentOf } from './systemd.ts'
import { createTaskTools } from './task-tools.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let host: Host
/** Answers like systemctl 252 and records its arguments; knows two services and a timer. */
const fakeSystemctl = `#!/bin/bash
echo "$*" >> "$(dirname "$0")/asked"
case "$*" in
*list-unit-files*timer*) echo "logrotate.timer enabled enabled"; echo "backup@.timer disabled enabled";;
*list-units*timer*) echo "logrotate.timer loaded active waiting Daily rotation of log files";;
*show*logrotate.timer*) cat <<'END'
Id=logrotate.timer
Description=Daily rotation of log files
LoadState=loaded
ActiveState=active
UnitFileState=enabled
Unit=logrotate.service
TimersCalendar={ OnCalendar=*-*-* 00:00:00 ; next_elapse=@1795392000 }
NextElapseUSecRealtime=@1795392000
LastTriggerUSec=@1795305600
END
;;
*show*.timer*) printf 'Id=absent.timer\\nLoadState=not-found\\n';;
*"cat -- logrotate.timer") echo "[Timer]"; echo "OnCalendar=daily";;
*list-unit-files*) echo "cron.service enabled enabled"; echo "ssh.service disabled enabled";;
*list-units*) echo "cron.service loaded active running Regular background program processing daemon"
  echo "● broken.service loaded failed failed Broken thing";;
*"property=ActiveState,SubState -- cron"*) printf 'ActiveState=active\\nSubState=running\\n';;
*show*renamed.service*) printf 'Id=renamed.service\\nLoadState=loaded\\nActiveState=active\\nSubState=running\\nMainPID=%s\\n' $PPID;;
*show*cron.service*) cat <<'END'
Id=cron.service
Description=Regular background program processing daemon
LoadState=loaded
ActiveState=active
SubState=running
UnitFileState=enabled
MainPID=412
Result=success
NRestarts=0
MemoryCurrent=1228800
TasksCurrent=18446744073709551615
ActiveEnterTimestamp=Fri 2026-11-20 06:25:01 UTC
FragmentPath=/lib/systemd/system/cron.service
ExecStart={ path=/usr/sbin/cron ; argv[]=/usr/sbin/cron -f $EXTRA_OPTS ; ignore_errors=no ; start_time=[n/a] }
User=
Requires=system.slice sysinit.target
After=remote-fs.target
END
;;
*show*) printf 'Id=absent.service\\nLoadState=not-found\\n';;
*"start -- denied.service") echo "Failed to start denied.service: Access denied" >&2; exit 4;;
*"start -- absent.service") echo "Failed to start absent.service: Unit absent.service not found." >&2; exit 5;;
esac
`
const fakeJournalctl = `#!/bin/bash
line() { echo "{\\"__CURSOR\\":\\"s=0;i=$1\\",\\"__REALTIME_TIMESTAMP\\":\\"$((1795305600 + 16#$1))000000\\",\\"PRIORITY\\":\\"$2\\",\\"SYSLOG_IDENTIFIER\\":\\"sshd\\",\\"_PID\\":\\"77\\",\\"MESSAGE\\":\\"$3\\"}"; }
case "$*" in
*--cursor=s=0*i=2*) line 2 6 "two"; line 1 6 "one Needle";;
*--priority=3*) line 3 3 "three";;
*--disk-usage*) echo "Archived and active journals take up 24.0M in the file system.";;
*) line 3 3 "three"; line 2 6 "two"; line 1 6 "one Needle";;
esac
`
const asked = async () => (await readFile(join(host.path, 'asked'), 'utf8')).trim().split('\n')

beforeAll(async () => {
  folder = await temporaryFolder()
  const programs = join(folder.path, 'bin')
  await mkdir(programs)
  await writeFile(join(programs, 'systemctl'), fakeSystemctl, { mode: 0o755 })
  await writeFile(join(programs, 'journalctl'), fakeJournalctl, { mode: 0o755 })
  host = { path: `${programs}`, systemdMark: folder.path }
  await symlink('/bin/bash', join(programs, 'bash'))
  for (const tool of ['cat', 'dirname']) await symlink(`/bin/${tool}`, join(programs, tool)).catch(() => undefined)
  await symlink('/usr/bin/dirname', join(programs, 'dirname')).catch(() => undefined)
})
afterAll(() => folder[Symbol.asyncDispose]())

describe('services', () => {
  test('are listed with state and startup', async () => {
    const { services } = await createServiceTools(host).list()
    const cron = { name: 'cron', displayName: 'Regular background program processing daemon', state: 'running' }
    expect(services).toEqual([
      { ...cron, startup: 'enabled' },
      { name: 'broken', displayName: 'Broken thing', state: 'failed', startup: null },
    ])
  })

  test('shows one service in full, and reports a missing one', async () => {
    expect(await createServiceTools(host).detail('cron')).toMatchObject({
      name: 'cron',
      mainPid: 412,
      memoryBytes: 1_228_800,
      tasks: null,
      activeSince: '2026-11-20T06:25:01.000Z',
      command: '/usr/sbin/cron -f $EXTRA_OPTS',
      user: null,
      requires: ['system.slice', 'sysinit.target'],
    })
    await expect(createServiceTools(host).detail('absent')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('are started and stopped with exact arguments, and systemd errors are passed on', async () => {
    const tools = createServiceTools(host)
    expect(await tools.control('cron', 'restart')).toEqual({ name: 'cron', state: 'running' })
    expect(await asked()).toContain('--no-pager --no-ask-password restart -- cron.service')
    await expect(tools.control('absent', 'start')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(tools.control('denied', 'start')).rejects.toThrow('Access denied')
  })

  test.each(['muster-agent', 'muster-agent.service', 'renamed'])(
    'refuses to end the service of the agent: %s',
    async (name) => {
      const { services } = createTools([], host)
      for (const action of ['stop', 'restart'] as const)
        await expect(services.control(name, action)).rejects.toMatchObject({
          code: 'DENIED',
          message: `${name} is the service of the agent, which must not be stopped through itself`,
        })
      expect((await asked()).filter((words) => / (stop|restart) -- (muster-agent|renamed)/.test(words))).toEqual([])
      expect(await services.control('cron', 'stop')).toEqual({ name: 'cron', state: 'running' })
    },
  )

  test('reports a machine without systemd', async () => {
    const tools = createServiceTools({ ...host, systemdMark: join(folder.path, 'absent') })
    await expect(tools.list()).rejects.toMatchObject({ code: 'NO_SERVICE_MANAGER' })
  })

  test.each([
    ['@1795392000', '2026-11-23T00:00:00.000Z'],
    ['Fri 2026-11-20 06:25:01 UTC', '2026-11-20T06:25:01.000Z'],
    ['n/a', null],
    ['', null],
    [undefined, null],
  ])('parses the time %s', (text, moment) => {
    expect(momentOf(text)).toBe(moment)
  })
})

describe('scheduled tasks', () => {
  const crontab =
    'SHELL=/bin/sh\n# a comment\n17 * * * * root run-parts /etc/cron.hourly\n@reboot backup /opt/start %x\n'
  let root: string
  let tasks: ReturnType<typeof createTaskTools>
  beforeAll(async () => {
    root = join(folder.path, 'root')
    await mkdir(join(root, 'etc/cron.daily'), { recursive: true })
    await mkdir(join(root, 'var/spool/cron/crontabs'), { recursive: true })
    await writeFile(join(root, 'etc/crontab'), crontab, { mode: 0o640 })
    await writeFile(join(root, 'etc/cron.daily/dpkg'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    await writeFile(join(root, 'var/spool/cron/crontabs/ann'), `*/5 * * * * touch ${root}/ran\n`)
    tasks = createTaskTools(host, root)
  })

  test('lists timers, cron lines and scripts', async () => {
    const { tasks: found } = await tasks.list()
    expect(found).toMatchObject([
      {
        path: 'timer:logrotate.timer',
        schedule: '*-*-* 00:00:00',
        command: 'logrotate.service',
        enabled: true,
        nextRunAt: '2026-11-23T00:00:00.000Z',
      },
      { kind: 'cron', schedule: '17 * * * *', user: 'root', command: 'run-parts /etc/cron.hourly', enabled: true },
      { kind: 'cron', schedule: '@reboot', user: 'backup', command: '/opt/start %x' },
      { kind: 'cron', schedule: '*/5 * * * *', user: 'ann' },
      { path: 'script:/etc/cron.daily/dpkg', schedule: 'daily', enabled: true },
    ])
  })

  test('disables and enables a line without changing the rest of its file', async () => {
    const { tasks: found } = await tasks.list()
    const path = found[1]?.path ?? ''
    expect(await tasks.switch(path, false)).toEqual({ path, enabled: false })
    const file = join(root, 'etc/crontab')
    expect(await readFile(file, 'utf8')).toContain('#muster-off# 17 * * * * root')
    expect((await stat(file)).mode & 0o777).toBe(0o640)
    expect(await tasks.detail(path)).toMatchObject({ path, enabled: false })
    await tasks.switch(path, true)
    expect(await readFile(file, 'utf8')).toBe(crontab)
  })

  test('disables and enables a script by its execute permission', async () => {
    const path = 'script:/etc/cron.daily/dpkg'
    await tasks.switch(path, false)
    expect(await tasks.detail(path)).toMatchObject({ enabled: false, definition: '#!/bin/sh\nexit 0\n' })
    await tasks.switch(path, true)
    expect((await stat(join(root, 'etc/cron.daily/dpkg'))).mode & 0o777).toBe(0o755)
  })

  test('runs, disables and shows timers through systemd, and reports a missing one', async () => {
    await tasks.run('timer:logrotate.timer')
    await tasks.switch('timer:logrotate.timer', false)
    const words = await asked()
    expect(words).toContain('--no-pager --no-ask-password start --no-block -- logrotate.service')
    expect(words).toContain('--no-pager --no-ask-password disable --now -- logrotate.timer')
    const detail = await tasks.detail('timer:logrotate.timer')
    expect(detail.definition).toBe('[Timer]\nOnCalendar=daily\n')
    for (const path of ['timer:absent.timer', 'timer:--help', 'cron:/etc/crontab:00000000', 'script:/etc/passwd'])
      await expect(tasks.run(path)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('shows the next run from the schedule and the last run from the log', async () => {
    const own = join(folder.path, 'cron-log')
    await mkdir(join(own, 'etc/cron.daily'), { recursive: true })
    await mkdir(join(own, 'var/log'), { recursive: true })
    const daily = 'test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )'
    await writeFile(
      join(own, 'etc/crontab'),
      `25 6 * * * root ${daily}\n@reboot root /opt/start\n5 4 * * * ann /opt/start\n`,
    )
    await writeFile(join(own, 'etc/cron.daily/dpkg'), '#!/bin/sh\n', { mode: 0o755 })
    const lines = [
      `2026-11-19T06:25:01Z web CRON[9]: (root) CMD (${daily})`,
      `2026-11-20T06:25:01Z web CRON[10]: (root) CMD (${daily})`,
      '2026-11-20T06:25:02Z web CRON[11]: (bob) CMD (/opt/start)',
      '2026-11-20T06:26:00Z web CRON[10]: (root) MAIL (mailed)',
    ]
    await writeFile(join(own, 'var/log/syslog'), `${lines.join('\n')}\n`)
    const withLog = createTaskTools({ path: join(own, 'bin'), systemdMark: join(own, 'none') }, own)
    const [line, start, other, script] = (await withLog.list()).tasks
    const lastRunAt = '2026-11-20T06:25:01.000Z'
    expect(line).toMatchObject({ lastRunAt, nextRunAt: expect.stringMatching(/:25:00.000Z$/) })
    expect(start).toMatchObject({ lastRunAt: null, nextRunAt: null })
    expect(other).toMatchObject({ lastRunAt: null, user: 'ann' })
    expect(script).toMatchObject({ path: 'script:/etc/cron.daily/dpkg', lastRunAt, nextRunAt: line?.nextRunAt })
    const { runs } = await withLog.history({ path: script?.path ?? '', limit: 10 })
    expect(runs.map(({ at }) => at)).toEqual([lastRunAt, '2026-11-19T06:25:01.000Z'])
    expect(await withLog.detail(line?.path ?? '')).toMatchObject({ lastRunAt })
  })

  test('reads runs from the journal', async () => {
    const { runs } = await tasks.history({ path: 'timer:logrotate.timer', limit: 10 })
    expect(runs[0]).toEqual({ at: '2026-11-22T00:00:03.000Z', message: 'three' })
  })
})

describe('event logs', () => {
  let logs: ReturnType<typeof createEventLogTools>
  beforeAll(async () => {
    const at = join(folder.path, 'log')
    await mkdir(join(at, 'nginx'), { recursive: true })
    const lines = [
      '2026-11-20T06:25:01Z web sshd[9]: error: refused',
      'Nov 20 06:25:02 web cron[10]: CMD (x)',
      'plain text',
      '',
    ]
    await writeFile(join(at, 'syslog'), lines.join('\n'))
    await writeFile(join(at, 'nginx/access.log'), 'one\n')
    await writeFile(join(at, 'old.gz'), 'x')
    await symlink('/etc/passwd', join(at, 'passwd'))
    logs = createEventLogTools(host, at)
  })

  test('lists the journal and the text files', async () => {
    const { logs: found } = await logs.list()
    expect(found.map(({ name }) => name)).toEqual(['journal', 'nginx/access.log', 'syslog'])
  })

  test('returns lines of a file newest first, in pages, and each one by its ID', async () => {
    const first = await logs.events({ name: 'syslog', limit: 2 })
    expect(first.events.map(({ message }) => message)).toEqual(['plain text', 'CMD (x)'])
    const second = await logs.events({ name: 'syslog', limit: 2, before: first.nextBefore ?? '' })
    expect(second).toMatchObject({
      events: [{ message: 'error: refused', level: 'error', source: 'sshd' }],
      nextBefore: null,
    })
    const recordId = second.events[0]?.recordId ?? ''
    expect(await logs.event({ name: 'syslog', recordId })).toMatchObject({ at: '2026-11-20T06:25:01.000Z', pid: 9 })
    await expect(logs.event({ name: 'syslog', recordId: '3' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('filters events by level, text, source and time', async () => {
    const chosen = async (what: object) => (await logs.events({ name: 'syslog', limit: 10, ...what })).events.length
    expect(await chosen({ level: 'warning' })).toBe(1)
    expect(await chosen({ search: 'PLAIN' })).toBe(1)
    expect(await chosen({ source: 'cron' })).toBe(1)
    expect(await chosen({ since: '2026-11-20T06:25:00Z', until: '2026-11-20T06:25:01Z' })).toBe(1)
  })

  test('returns entries of the journal in the same way', async () => {
    const { events, nextBefore } = await logs.events({ name: 'journal', limit: 2 })
    expect(events.map(({ message }) => message)).toEqual(['three', 'two'])
    expect(events[0]).toMatchObject({ level: 'error', source: 'sshd', pid: 77, at: '2026-11-22T00:00:03.000Z' })
    const more = await logs.events({ name: 'journal', limit: 2, before: nextBefore ?? '' })
    expect(more).toMatchObject({ events: [{ message: 'one Needle' }], nextBefore: null })
    expect((await logs.events({ name: 'journal', limit: 5, search: 'needle' })).events).toHaveLength(1)
    expect((await logs.events({ name: 'journal', limit: 5, level: 'error' })).events).toHaveLength(1)
    expect(await logs.detail('journal')).toMatchObject({ sizeBytes: 24 * 1024 * 1024 })
    await expect(logs.event({ name: 'journal', recordId: '--version' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('rejects a name that leads out of the folder', async () => {
    for (const name of ['passwd', '../etc/passwd', 'absent', 'old.gz'])
      await expect(logs.events({ name, limit: 1 })).rejects.toThrow(
        /not found|symbolic link|does not exist|not a folder/,
      )
  })

  test('never dates a line without a year in the future', () => {
    const line = parseLine('Dec 31 23:59:59 host x: y', new Date('2026-01-01T12:00:00Z'))
    expect(line.at?.slice(0, 4)).toBe('2025')
  })
})

describe('files', () => {
  test('deletes an abandoned upload, and completes a continued one', async () => {
    const files = createFileTools(guardedFolders([join(folder.path, 'secret')]))
    const at = join(folder.path, 'uploads')
    await mkdir(at)
    const uploadId = '3f2b8c1e-5a6d-4e7f-8091-a2b3c4d5e6f7'
    const piece = { path: join(at, 'a'), uploadId, offset: 0, last: false, abort: false, overwrite: false }
    await files.write(piece, Buffer.from('one'))
    expect((await files.list(at)).entries.map(({ name }) => name)).toEqual([`.muster-upload-${uploadId}`])
    await files.write({ ...piece, offset: 3, abort: true }, Buffer.alloc(0))
    expect((await files.list(at)).entries).toEqual([])
    await files.write(piece, Buffer.from('one'))
    await expect(files.write({ ...piece, offset: 9 }, Buffer.from('x'))).rejects.toMatchObject({ code: 'CHANGED' })
    await files.write(piece, Buffer.from('one'))
    await files.write({ ...piece, offset: 3, last: true }, Buffer.from('two'))
    expect(await readFile(join(at, 'a'), 'utf8')).toBe('onetwo')
    await symlink(join(at, 'a'), join(at, 'to-a'))
    await files.write({ ...piece, path: join(at, 'to-a'), overwrite: true, last: true }, Buffer.from('new'))
    expect(await readFile(join(at, 'a'), 'utf8')).toBe('onetwo')
  })

  test('creates an upload readable for its owner only, keeps the mode of a replaced file, and never sets setuid', async () => {
    const files = createFileTools(guardedFolders([join(folder.path, 'secret')]))
    const path = join(folder.path, 'uploaded')
    const uploadId = '3f2b8c1e-5a6d-4e7f-8091-a2b3c4d5e6f8'
    const whole = { path, uploadId, offset: 0, last: true, abort: false, overwrite: true }
    const modeOf = async () => (await stat(path)).mode & 0o7777
    await files.write(whole, Buffer.from('one'))
    expect(await modeOf()).toBe(0o600)
    await files.write({ ...whole, mode: '644' }, Buffer.from('two'))
    expect(await modeOf()).toBe(0o644)
    await files.write(whole, Buffer.from('three'))
    expect(await modeOf()).toBe(0o644)
    for (const mode of ['4755', '2755', '1777'])
      await expect(files.write({ ...whole, mode }, Buffer.from('x'))).rejects.toMatchObject({ code: 'DENIED' })
    expect(await readFile(path, 'utf8')).toBe('three')
    expect(WriteFile.shape.mode.safeParse('4755').success).toBe(false)
    expect(WriteFile.shape.mode.safeParse('0755').success).toBe(true)
  })

  test('closes secret folders on every path to them', async () => {
    const secret = join(folder.path, 'secret')
    await mkdir(secret)
    await writeFile(join(secret, 'key'), 'x')
    await symlink(secret, join(folder.path, 'way'))
    const files = createFileTools(guardedFolders([secret]))
    const read = (path: string) => files.read({ path, offset: 0, length: 10 })
    for (const path of [join(secret, 'key'), join(folder.path, 'way/key'), join(folder.path, 'secret/./key')])
      await expect(read(path)).rejects.toMatchObject({ code: 'DENIED' })
    await expect(files.list(join(folder.path, 'way'))).rejects.toMatchObject({ code: 'DENIED' })
    await expect(files.list(secret)).rejects.toMatchObject({ code: 'DENIED' })
  })
})

test('names the program of a shutdown in a dry run', async () => {
  expect(await createPowerTools(host).command('reboot', undefined)).toEqual(['systemctl', 'reboot'])
  const programs = join(folder.path, 'sbin')
  await mkdir(programs)
  await writeFile(join(programs, 'shutdown'), '')
  await chmod(join(programs, 'shutdown'), 0o755)
  const power = createPowerTools({ ...host, path: programs })
  expect(await power.command('shutdown', 'Back soon')).toEqual(['shutdown', '-h', 'now', 'Back soon'])
})

test('parses a process with any name', () => {
  const line = `42 (a) b (c) S 1 42 42 0 -1 0 0 0 0 0 250 50 0 0 20 0 3 0 1000 8192 2 0\n`
  expect(parseStat(line)).toMatchObject({ pid: 42, name: 'a) b (c', state: 'S', parentPid: 1, ticks: 300, threads: 3 })
})
