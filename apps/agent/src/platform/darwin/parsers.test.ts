import { describe, expect, test } from 'vitest'
import { parseList } from './accounts.ts'
import { parseDisk, parseDiskList, parseVolumes } from './inventory/disks.ts'
import { batteryOf, parseFileVault, parseGatekeeper, parseIntegrity, parseSysctl } from './inventory/hardware.ts'
import { parseInterfaces, parsePorts } from './inventory/network.ts'
import { parseReceiptNames, parseReceipts } from './inventory/software.ts'
import { parseLogins, parseMembers, parsePresent } from './inventory/users.ts'
import { parsePlist } from './plist.ts'
import { parseExecutables, parseRows, parseThreads, secondsOf } from './process-table.ts'
import { parseProfile } from './profile.ts'
import { parseMarked } from './scripts.ts'
import { parsePlatformExpert, parseVersion } from './system.ts'
import { psThreads } from './testing/recorded.ts'
import { parseOpenFiles } from './tools/process-tools.ts'
import { parseMemory, parseTraffic, ticksOf } from './vitals.ts'

const nothing = ['', '\n', 'command not found', '{', '<plist', '\u0000\u0001']

test.each(nothing)('every parser takes %j', (text) => {
  expect(parseMemory(text, 1024)).toBeUndefined()
  expect(parseTraffic(text)).toBeUndefined()
  expect(parsePlist(text)).toBeUndefined()
  expect(parseDiskList(text)).toEqual([])
  expect(parseDisk('disk0', text)).toBeUndefined()
  expect(parseVolumes(text, new Map())).toEqual([])
  expect(parseInterfaces(text, parsePorts(text))).toEqual([])
  expect(parseReceipts(text)).toEqual([])
  expect([parseFileVault(text), parseIntegrity(text), parseGatekeeper(text)]).toEqual([undefined, undefined, undefined])
  expect([parseList(text), parseRows(text), parseProfile(text)('SPHardwareDataType')]).toEqual([[], [], []])
  expect(parseSysctl(text).size + parsePlatformExpert(text).size + parseThreads(text).size).toBe(0)
  expect(parseMembers(text).size + parsePresent(text).size + parseLogins(text, new Date()).size).toBe(0)
  expect(parseVersion(text)).toEqual({ name: 'macOS', version: undefined })
  expect(parseOpenFiles(text)).toEqual({ workingDirectory: null, openFiles: null })
  expect(batteryOf(parseProfile(text), text)).toBeUndefined()
})

describe('a property list', () => {
  const listOf = (inner: string) =>
    parsePlist(`<?xml version="1.0"?><!DOCTYPE plist><plist version="1.0">${inner}</plist>`)

  test('may have every type, entities, comments and nothing inside', () => {
    const inner = `<!-- <dict> --><dict>
      <key>a &amp; b</key><string>&lt;x&gt; &#128193; &#x1F5C2; &quot;&apos;</string>
      <key>empty</key><string/><key>none</key><string></string>
      <key>list</key><array><integer>-5</integer><real>1.5</real><true/><false/><array/><dict/></array>
      <key>cdata</key><string><![CDATA[<&>]]></string>
      <key>when</key><date>2024-01-01T00:00:00Z</date><key>bytes</key><data>QUJD</data>
      <key>__proto__</key><string>own</string>
    </dict>`
    const parsed = listOf(inner)
    expect(parsed).toMatchObject({
      ...{ 'a & b': `<x> 📁 🗂 "'`, empty: '', none: '', cdata: '<&>', when: '2024-01-01T00:00:00Z', bytes: 'QUJD' },
      list: [-5, 1.5, true, false, [], {}],
    })
    expect(Object.keys(parsed ?? {})).toContain('__proto__')
  })

  test.each([
    '<dict><key>a</key></dict>',
    '<dict><string>a</string></dict>',
    '<array><string>a</array>',
    '<dict><key>a</key><string>b</string>',
    '<string>a',
    '',
    '<array>'.repeat(100) + '</array>'.repeat(100),
  ])('that is damaged is undefined: %s', (inner) => {
    expect(listOf(inner)).toBeUndefined()
  })
})

describe('processes of ps', () => {
  test('have decimal commas, negative users, blanks and any script in their names', () => {
    const rows = parseRows(
      `  900     1   -2  20 R+     5 420000000 250000 123:45,67 Sun Nov  2 09:30:00 2025     /Applications/Über Editor 🗂.app/E --flag  x\n`,
    )
    expect(rows).toEqual([
      {
        ...{ pid: 900, parentPid: 1, uid: 4_294_967_294, gid: 20, state: 'R', nice: 5 },
        ...{ virtualBytes: 420_000_000 * 1024, residentBytes: 250_000 * 1024, cpuSeconds: 7425.67 },
        ...{ startedAt: '2025-11-02T09:30:00.000Z', command: '/Applications/Über Editor 🗂.app/E --flag  x' },
      },
    ])
  })

  test.each([
    ['0:01.23', 1.23],
    ['12:34:56', 45_296],
    ['2-03:04:05', 183_845],
    ['0:00,50', 0.5],
    ['-', 0],
  ])('used the processor for %s', (text, seconds) => {
    expect(secondsOf(text)).toBeCloseTo(seconds)
  })

  test('have their threads counted, and their executables by whole paths', () => {
    expect([...parseThreads(psThreads)]).toEqual([
      [1, 2],
      [900, 1],
    ])
    expect(parseExecutables(' 12 /Applications/A B.app/Contents/MacOS/A B\n13\n').get(12)).toBe(
      '/Applications/A B.app/Contents/MacOS/A B',
    )
  })

  test('are found by the mark of their script alone', () => {
    const [one, other] = ['0b9f3c0e-0000-4000-8000-000000000001', '0b9f3c0e-0000-4000-8000-000000000002']
    const list = `  11 /bin/sleep 60 PATH=/bin MUSTER_COMMAND_ID=${one} HOME=/
  12 grep MUSTER_COMMAND_ID=${other} x
  13 /bin/sleep 60 OTHER_MUSTER_COMMAND_ID=${one}
`
    expect(parseMarked(list, new Set([one]))).toEqual([11])
  })

  test('show open files and the folder they run in', () => {
    const text = 'p900\nfcwd\nn/Users/ann/Über 🗂\nftxt\nn/bin/zsh\nf0\nn/dev/null\nf12\nn/tmp/x y\n'
    expect(parseOpenFiles(text)).toEqual({ workingDirectory: '/Users/ann/Über 🗂', openFiles: 2 })
  })
})

test('counts ticks of all processors', () => {
  const times = { user: 100, nice: 0, sys: 50, idle: 850, irq: 0 }
  expect(ticksOf([{ times }, { times }])).toEqual({ busy: 30, total: 200 })
  expect(ticksOf([])).toBeUndefined()
})

test('counts everything but loopback where there is no hardware port', () => {
  const text = `Name Mtu Network Address Ipkts Ierrs Ibytes Opkts Oerrs Obytes Coll
lo0 16384 <Link#1> 1 0 10 1 0 10 0
utun3 1380 <Link#17> 2 0 70 2 0 30 0
`
  expect(parseTraffic(text)).toEqual({ received: 70, sent: 30 })
})

test('reads sizes of df in blocks of 512 bytes as well', () => {
  const text = `Filesystem    512-blocks      Used Available Capacity  Mounted on
/dev/disk1s1      1000       400       -50   100%    /Volumes/a  b
`
  expect(parseVolumes(text, new Map([['/Volumes/a  b', 'apfs']]))).toMatchObject([
    { mount: '/Volumes/a  b', totalBytes: 512_000, usedBytes: 512_000 },
  ])
})

test.each([
  ['FileVault is On.', 'on'],
  ['FileVault is Off.\nDeferred enablement appears to be active for user ann.', 'off'],
  ['FileVault is On.\nEncryption in progress: Percent completed = 42,5', 'Encryption at 42 %'],
])('reads FileVault from %j', (text, state) => {
  expect(parseFileVault(text)).toBe(state)
})

test('reads a battery that is charging, and none of a UPS', () => {
  const none = parseProfile('{}')
  const text = (line: string) => `Now drawing from 'AC Power'\n -${line}\n`
  expect(batteryOf(none, text('InternalBattery-0 (id=1)\t45%; charging; 1:02 remaining present: true'))).toMatchObject({
    percent: 45,
    charging: true,
  })
  expect(batteryOf(none, text('InternalBattery-0 (id=1)\t80%; AC attached; not charging present: true'))).toMatchObject(
    {
      charging: false,
    },
  )
  expect(batteryOf(none, text('APC Back-UPS (id=2)\t100%; AC attached; not charging present: true'))).toBeUndefined()
})

test('never dates a login in the future', () => {
  const text = 'ann  ttys000  Thu Dec 31 23:59   still logged in\nann  console  Wed Dec 30 10:00 - 11:00  (01:00)\n'
  const logins = parseLogins(text, new Date('2026-01-01T12:00:00Z'))
  expect(new Date(logins.get('ann') ?? 0).toISOString()).toBe('2025-12-31T23:59:00.000Z')
})

test('knows receipts by name when pkgutil tells no more', () => {
  expect(parseReceiptNames('com.a\n\ncom.b\n')).toEqual([
    { name: 'com.a', source: 'pkg' },
    { name: 'com.b', source: 'pkg' },
  ])
})

test('takes a profile whose types are damaged', () => {
  const profile = parseProfile(
    '{"SPHardwareDataType":"no list","SPPowerDataType":[null],"SPDisplaysDataType":[{"a":1}]}',
  )
  expect([profile('SPHardwareDataType'), profile('SPPowerDataType')]).toEqual([[], []])
  expect(profile('SPDisplaysDataType')).toEqual([{ a: 1 }])
})
