// What can be checked without Windows: layouts, parsers and rules, on documented outputs. test/windows runs the rest.
import { describe, expect, test } from 'vitest'
import { parseEvent, queryOf } from './event-xml.ts'
import { parseSmbios } from './inventory/smbios.ts'
import { softwareOf } from './inventory/uninstall-entry.ts'
import { fileTime, struct, textAt, u8, u16, u32, u64, wideText } from './native/layout.ts'
import { drivePath, isWithin, plain } from './paths.ts'
import { treeOf } from './process-tree.ts'
import { bytesOf, dataOf } from './registry-data.ts'
import { startupWord, stateWord } from './service-words.ts'
import { parseTasks, parseTimes } from './task-xml.ts'
import { find, parseXml, textOf } from './xml.ts'

describe('layouts', () => {
  test('place members as a C compiler does', () => {
    const layout = struct({ small: u8, number: u32, tiny: u16, large: u64, name: wideText(3) })
    expect(['small', 'number', 'tiny', 'large', 'name'].map((name) => layout.offsetOf(name as 'small'))).toEqual([
      0, 4, 8, 16, 24,
    ])
    expect(layout.size).toBe(32)
  })

  test('read numbers, texts with and without a final NUL, and times', () => {
    const layout = struct({ number: u32, name: wideText(3), at: fileTime })
    const buffer = Buffer.alloc(layout.size)
    buffer.writeUInt32LE(7)
    buffer.write('abc', 4, 'utf16le')
    buffer.writeBigUInt64LE(116_444_736_000_000_000n + 10_000n, layout.offsetOf('at'))
    expect(layout.read(buffer)).toEqual({ number: 7, name: 'abc', at: 1 })
    expect(textAt(Buffer.from('a\0b', 'utf16le'), 0)).toBe('a')
    expect(textAt(Buffer.from('ab', 'utf16le'), 0)).toBe('ab')
  })
})

describe('registry data', () => {
  test.each([
    ['REG_SZ', 'Grüße 😀'],
    ['REG_SZ', ''],
    ['REG_EXPAND_SZ', '%PATH%'],
    ['REG_MULTI_SZ', ['one', 'two']],
    ['REG_MULTI_SZ', []],
    ['REG_DWORD', 4_294_967_295],
    ['REG_QWORD', 9_007_199_254_740_991],
    ['REG_QWORD', '18446744073709551615'],
    ['REG_BINARY', 'AAECAw=='],
    ['REG_BINARY', ''],
  ])('of type %s comes back as it was written: %j', (type, data) => {
    expect(dataOf(type, bytesOf(type, data))).toEqual(data)
  })

  test('keeps NUL inside a text, and forgives a missing one at its end', () => {
    expect(dataOf('REG_SZ', Buffer.from('a\0b\0', 'utf16le'))).toBe('a\0b')
    expect(dataOf('REG_SZ', Buffer.from('ab', 'utf16le'))).toBe('ab')
    expect(dataOf('REG_MULTI_SZ', Buffer.from('a\0b\0', 'utf16le'))).toEqual(['a', 'b'])
    expect(dataOf('REG_SZ', Buffer.from([0x61, 0, 0x62]))).toBe('a')
  })

  test('is base64 for other types, and for numbers of a wrong length', () => {
    expect(dataOf('REG_NONE', Buffer.from([1]))).toBe('AQ==')
    expect(dataOf('REG_DWORD', Buffer.from([1, 2]))).toBe('AQI=')
  })

  test.each([
    ['REG_DWORD', -1],
    ['REG_DWORD', 2 ** 32],
    ['REG_DWORD', 1.5],
    ['REG_DWORD', []],
    ['REG_QWORD', '18446744073709551616'],
    ['REG_QWORD', 2 ** 53],
    ['REG_SZ', 1],
    ['REG_MULTI_SZ', 'text'],
    ['REG_MULTI_SZ', ['a', '', 'b']],
    ['REG_BINARY', 'not base64'],
  ])('of type %s is refused when it does not fit: %j', (type, data) => {
    expect(() => bytesOf(type, data)).toThrow(`data of ${type} must be`)
  })
})

describe('paths', () => {
  test('are on a drive, with backslashes and without empty names', () => {
    expect(drivePath('c:/Windows//System32\\.')).toBe('C:\\Windows\\System32')
    expect(drivePath('C:\\')).toBe('C:\\')
    expect(plain('\\\\?\\C:\\x')).toBe('C:\\x')
    expect(plain('\\\\?\\UNC\\server\\share')).toBe('\\\\server\\share')
  })

  test.each([
    '\\\\server\\share',
    '//server/share',
    '\\\\.\\PhysicalDrive0',
    '\\\\?\\C:\\x',
    '/etc/passwd',
    'C:x',
    'C:\\a\\..\\b',
    'C:\\a:stream',
    'C:\\a:$DATA',
    'C:\\NUL',
    'C:\\x\\com1.txt',
    'C:\\x\\CON .txt',
    'C:\\x\\LPT¹',
    'C:\\x.',
    'C:\\x ',
    'C:\\x?',
    'C:\\\u0001',
  ])('that Windows would not take literally are refused: %j', (path) => {
    expect(() => drivePath(path)).toThrow(`path ${path}`)
  })

  test('are compared without case, and by whole names', () => {
    expect(isWithin('C:\\ProgramData\\MUSTER\\agent\\x', 'c:\\programdata\\muster\\Agent')).toBe(true)
    expect(isWithin('C:\\ProgramData\\Muster\\Agent2', 'C:\\ProgramData\\Muster\\Agent')).toBe(false)
  })
})

test('finds the processes below one, and none that reuses the number of a parent', () => {
  const all = [
    { pid: 10, parentPid: 1 },
    { pid: 11, parentPid: 10 },
    { pid: 12, parentPid: 11 },
    // Started before the process that has its parent's number now.
    { pid: 13, parentPid: 10 },
    { pid: 14, parentPid: 1 },
  ]
  const started: Record<number, number> = { 10: 100, 11: 200, 12: 300, 13: 50, 14: 400 }
  expect(treeOf(10, all, (pid) => started[pid] ?? 0)).toEqual([10, 11, 12])
})

test('names the states and startups of services', () => {
  expect([1, 4, 3, 99].map(stateWord)).toEqual(['stopped', 'running', 'stopping', 'unknown'])
  expect([startupWord(2, false), startupWord(2, true), startupWord(4, false)]).toEqual([
    'automatic',
    'automatic-delayed',
    'disabled',
  ])
})

test('reads XML with attributes, entities, CDATA, comments and namespaces', () => {
  const xml = '<?xml version="1.0"?><!-- c --><a:R x="1 &lt; 2"><b/>t&#x1F600;<c><![CDATA[<raw>]]></c></a:R>'
  const element = find(parseXml(xml), 'R')
  expect(element?.attributes).toEqual({ x: '1 < 2' })
  expect(element?.text).toBe('t😀')
  expect(textOf(element, 'c')).toBe('<raw>')
  expect(textOf(element, 'absent')).toBeUndefined()
})

// As documented for EvtRender: learn.microsoft.com/windows/win32/wes/rendering-events
const event = `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider
 Name='Service Control Manager' Guid='{555908d1-a6d7-4695-8e1e-26931d2012f4}' EventSourceName='Service Control Manager'/>
<EventID Qualifiers='49152'>7031</EventID><Version>0</Version><Level>2</Level><Task>0</Task>
<TimeCreated SystemTime='2026-11-22T08:15:30.1234567Z'/><EventRecordID>4711</EventRecordID><Correlation/>
<Execution ProcessID='612' ThreadID='700'/><Channel>System</Channel><Computer>PC-1</Computer><Security/></System>
<EventData><Data Name='param1'>Spooler</Data><Data>1</Data></EventData></Event>`

describe('events', () => {
  test('have the fields of their system part and their data', () => {
    expect(parseEvent(event)).toMatchObject({
      recordId: 4711,
      at: '2026-11-22T08:15:30.123Z',
      level: 'error',
      provider: 'Service Control Manager',
      eventId: '7031',
      pid: 612,
      data: { param1: 'Spooler', 2: '1' },
      system: { Channel: 'System', 'EventID.Qualifiers': '49152', 'Execution.ThreadID': '700' },
    })
  })

  test('are queried by level, provider, time and record', () => {
    const asked = { name: 'System', limit: 10 }
    expect(queryOf(asked, null)).toBe('*')
    expect(queryOf({ ...asked, level: 'error', source: 'Disk' }, 100)).toBe(
      "*[System[(Level=1 or Level=2) and Provider[@Name='Disk'] and EventRecordID<100]]",
    )
    expect(queryOf({ ...asked, level: 'info', source: "it's" }, null)).toBe(
      '*[System[(Level=1 or Level=2 or Level=3 or Level=4 or Level=0) and Provider[@Name="it\'s"]]]',
    )
    expect(queryOf({ ...asked, since: '2026-11-22T08:00:00+01:00' }, null)).toBe(
      "*[System[TimeCreated[@SystemTime>='2026-11-22T07:00:00.000Z']]]",
    )
  })
})

// As `schtasks /query /xml ONE` prints it.
const tasks = `<?xml version="1.0" encoding="UTF-16"?>
<Tasks>
<!-- \\Muster\\Backup -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Nightly &amp; weekly</Description></RegistrationInfo>
  <Triggers><CalendarTrigger><StartBoundary>2026-01-01T03:00:00</StartBoundary><ScheduleByDay><DaysInterval>1</DaysInterval>
  </ScheduleByDay></CalendarTrigger><BootTrigger><Enabled>false</Enabled></BootTrigger></Triggers>
  <Settings><Enabled>true</Enabled></Settings>
  <Principals><Principal id="Author"><UserId>S-1-5-18</UserId></Principal></Principals>
  <Actions><Exec><Command>C:\\backup.exe</Command><Arguments>/all "x y"</Arguments></Exec></Actions>
</Task>
<!-- \\Off -->
<Task><Settings><Enabled>false</Enabled></Settings><Actions><ComHandler/></Actions></Task>
</Tasks>`

describe('scheduled tasks', () => {
  test('have their schedule, account and command', () => {
    const [backup, off] = parseTasks(tasks)
    expect(backup).toMatchObject({
      description: 'Nightly & weekly',
      task: {
        path: 'task:\\Muster\\Backup',
        name: 'Backup',
        kind: 'task',
        enabled: true,
        schedule: 'daily from 2026-01-01T03:00:00; at startup (disabled)',
        user: 'S-1-5-18',
        command: 'C:\\backup.exe /all "x y"',
      },
    })
    expect(off?.task).toMatchObject({ path: 'task:\\Off', enabled: false, schedule: null, command: 'COM handler' })
  })

  test('have times where the machine writes them without ambiguity', () => {
    const row = (next: string, last: string) =>
      `"HOST","PC"\r\n"PC","\\Backup","${next}","Ready","Int","${last}","0","x"`
    expect(parseTimes(row('2026-11-23 03:00:00', 'N/A'))).toMatchObject({ lastRunAt: null })
    expect(parseTimes(row('2026-11-23 03:00:00', 'N/A')).nextRunAt).toBe(new Date('2026-11-23T03:00:00').toISOString())
    expect(parseTimes(row('11/12/2026 3:00:00 AM', '30.11.1999 00:00:00'))).toEqual({
      nextRunAt: null,
      lastRunAt: null,
    })
  })
})

describe('installed programs', () => {
  const values = (entries: Record<string, unknown>) => Object.entries(entries).map(([name, data]) => ({ name, data }))

  test('have name, version, publisher and date', () => {
    const entry = { DisplayName: '7-Zip', DisplayVersion: '24.08', Publisher: 'Igor Pavlov', InstallDate: '20261122' }
    expect(softwareOf(values(entry), 'x64')).toEqual({
      ...{ name: '7-Zip', version: '24.08', publisher: 'Igor Pavlov', source: 'x64' },
      installedAt: Date.parse('2026-11-22T00:00:00Z'),
    })
  })

  test.each([
    ['without a name', { DisplayVersion: '1' }],
    ['that are parts of the system', { DisplayName: 'x', SystemComponent: 1 }],
    ['that are parts of another one', { DisplayName: 'x', ParentKeyName: 'Office' }],
    ['that are updates', { DisplayName: 'KB1', ReleaseType: 'Security Update' }],
  ])('%s are left out', (_, entry) => {
    expect(softwareOf(values(entry), 'x64')).toBeUndefined()
  })
})

describe('the SMBIOS table', () => {
  const structure = (type: number, data: number[], texts: string[]) =>
    Buffer.concat([
      Buffer.from([type, data.length + 4, 0, 0, ...data]),
      Buffer.from(texts.length === 0 ? '\0\0' : `${texts.join('\0')}\0\0`, 'latin1'),
    ])

  test('tells vendor, model, serial number, asset tag and chassis', () => {
    const table = Buffer.concat([
      Buffer.alloc(8),
      structure(0, [1, 2], ['Vendor BIOS', 'F.42']),
      structure(1, [1, 2, 0, 3], ['HP', 'EliteBook 840', 'SN123']),
      structure(3, [0, 0x80 | 10, 0, 0, 1], ['ASSET-7']),
      structure(127, [], []),
    ])
    expect(parseSmbios(table)).toMatchObject({
      manufacturer: 'HP',
      model: 'EliteBook 840',
      serialNumber: 'SN123',
      assetTag: 'ASSET-7',
      chassis: 'Notebook',
      biosVendor: 'Vendor BIOS',
      biosVersion: 'F.42',
    })
  })

  test('of a faulty firmware ends at its fault', () => {
    expect(parseSmbios(Buffer.alloc(0)).model).toBeUndefined()
    expect(parseSmbios(Buffer.concat([Buffer.alloc(8), Buffer.from([1, 200, 0, 0, 1])])).model).toBeUndefined()
  })
})
